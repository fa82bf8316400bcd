package page

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// mostMarkdown is the maximum length of a text that is parsed as Markdown. A
// longer text is hardly prose, and a parser may take long for it.
const mostMarkdown = 256 << 10

// Markdown returns the HTML of a text of the user or the model.
func Markdown(text string) string { return string(markdown(nil, text)) }

// markdown appends the HTML of a text of the user or the model.
func markdown(dst []byte, text string) []byte {
	if len(text) > mostMarkdown {
		return append(escape(append(dst, "<pre>"...), text), "</pre>"...)
	}
	out := sink{*bytes.NewBuffer(dst)}
	if err := converter().Convert([]byte(Shown(text)), &out); err != nil {
		return append(escape(append(dst, "<pre>"...), text), "</pre>"...)
	}
	return out.Bytes()
}

// Inert reports whether a Markdown text, as commonly interpreted, contains
// neither HTML nor images. It returns false for a text that is too long to be
// parsed.
func Inert(markdown string) bool {
	if len(markdown) > mostMarkdown {
		return false
	}
	inert := true
	_ = ast.Walk(converter().Parser().Parse(text.NewReader([]byte(markdown))), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindRawHTML, ast.KindHTMLBlock, ast.KindImage:
			inert = false
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return inert
}

// A sink is a util.BufWriter without a buffer between the Markdown renderer and
// the page.
type sink struct{ bytes.Buffer }

func (s *sink) Buffered() int { return 0 }
func (s *sink) Flush() error  { return nil }

// Shown returns text in which characters that must not be obeyed are visible.
// The Markdown renderer escapes HTML.
func Shown(text string) string {
	if !hasOdd(text) {
		return text
	}
	var b strings.Builder
	text = strings.ToValidUTF8(text, "\uFFFD")
	for i, r := range text {
		mark, odd := shownAs(r, 2)
		switch {
		case odd:
			b.WriteString(mark)
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"): // a line ends
			b.WriteRune(r)
		case r < 0x20 && r != '\n' && r != '\t':
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hasOdd reports whether a text contains characters that must not be obeyed.
func hasOdd(text string) bool {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return true
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if _, odd := shownAs(r, size); odd {
			return true
		}
		i += size
	}
	return false
}

var converter = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Linkify, Tables, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(harmless{}, 1))))
})

// harmless renders the Markdown nodes that could have an effect: HTML is shown
// as text, links lead only to safe schemes, images are not loaded.
type harmless struct{}

func (harmless) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindAutoLink, autoLink)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindFencedCodeBlock, code)
}

// escaped writes escaped text to the sink of the renderer.
func escaped(w util.BufWriter, text []byte) {
	w.Write(escape(w.(*sink).AvailableBuffer(), text))
}

// escapedLines writes the escaped text of segments.
func escapedLines(w util.BufWriter, src []byte, lines *text.Segments) {
	for i := range lines.Len() {
		s := lines.At(i)
		escaped(w, s.Value(src))
	}
}

func rawHTML(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		escapedLines(w, src, n.(*ast.RawHTML).Segments)
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	w.WriteString("<p>")
	escapedLines(w, src, n.Lines())
	if b := n.(*ast.HTMLBlock); b.HasClosure() {
		escaped(w, b.ClosureLine.Value(src))
	}
	w.WriteString("</p>\n")
	return ast.WalkContinue, nil
}

func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to, ok := address(string(n.(*ast.Link).Destination))
	switch {
	case !ok && !entering:
		w.Write(escape([]byte(" ("), string(n.(*ast.Link).Destination)+")"))
	case !ok:
	case entering:
		openLink(w, to)
	default:
		w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func autoLink(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	a := n.(*ast.AutoLink)
	to := string(a.URL(src))
	if a.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(to, "mailto:") {
		to = "mailto:" + to
	}
	safe, ok := address(to)
	if ok {
		openLink(w, safe)
	}
	escaped(w, a.Label(src))
	if ok {
		w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// image renders a link to an image: loading images would reveal the reader to
// others.
func image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to, ok := address(string(n.(*ast.Image).Destination))
	switch {
	case entering && ok:
		openLink(w, to)
		w.WriteString("picture: ")
	case entering:
		w.WriteString("[picture: ")
	case ok:
		w.WriteString("</a>")
	default:
		w.WriteString("]")
	}
	return ast.WalkContinue, nil
}

func code(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	w.WriteString("<pre><code")
	if language := string(block.Language(src)); language != "" {
		w.WriteString(` class="lang-`)
		w.Write(escape(nil, OneLine(strings.ReplaceAll(language, " ", ""), 20)))
		w.WriteString(`"`)
	}
	w.WriteString(">")
	escapedLines(w, src, n.Lines())
	w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func openLink(w util.BufWriter, to string) {
	w.WriteString(`<a rel="noopener noreferrer nofollow" target="_blank" href="`)
	w.Write(escape(nil, to))
	w.WriteString(`">`)
}

// address returns the target of a link if it is on the web or mail. Anything
// else stays text.
func address(to string) (string, bool) {
	to = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, to)
	u, err := url.Parse(to)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(u.Scheme)) {
		return "", false
	}
	return u.String(), true
}
