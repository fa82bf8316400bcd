package page

import (
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

// mostMarkdown is the longest text that is read as Markdown. What is longer is
// hardly prose, and a parser may take long over it.
const mostMarkdown = 256 << 10

// Markdown is the HTML of a text that user or model wrote.
func Markdown(text string) string { return string(markdown(nil, text)) }

// markdown appends the HTML of a text that user or model wrote.
func markdown(dst []byte, text string) []byte {
	if len(text) > mostMarkdown {
		return append(escape(append(dst, "<pre>"...), text), "</pre>"...)
	}
	out := sink{dst}
	if err := parser().Convert([]byte(Shown(text)), &out); err != nil {
		return append(escape(append(dst, "<pre>"...), text), "</pre>"...)
	}
	return out.b
}

// Inert reports whether a text in Markdown, as everybody reads it, holds neither HTML nor
// pictures. A text that is too long to be read does not count as such.
func Inert(markdown string) bool {
	if len(markdown) > mostMarkdown {
		return false
	}
	inert := true
	_ = ast.Walk(parser().Parser().Parse(text.NewReader([]byte(markdown))), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindRawHTML, ast.KindHTMLBlock, ast.KindImage:
			inert = false
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return inert
}

// sink is a util.BufWriter without a buffer between the writer of Markdown and the
// page.
type sink struct{ b []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

func (s *sink) WriteString(text string) (int, error) {
	s.b = append(s.b, text...)
	return len(text), nil
}

func (s *sink) WriteByte(c byte) error {
	s.b = append(s.b, c)
	return nil
}

func (s *sink) WriteRune(r rune) (int, error) {
	before := len(s.b)
	s.b = utf8.AppendRune(s.b, r)
	return len(s.b) - before, nil
}

func (s *sink) Available() int { return 0 }
func (s *sink) Buffered() int  { return 0 }
func (s *sink) Flush() error   { return nil }

// Shown is text in which what must not be obeyed is visible. What HTML needs is
// escaped by the writer of Markdown.
func Shown(text string) string {
	if !hasOdd(text) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		mark, odd := shownAs(r, 2)
		switch {
		case odd:
			b.WriteString(mark)
		case r < 0x20 && r != '\n' && r != '\t' && r != '\r':
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hasOdd reports whether a text holds something that must not be obeyed.
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

var parser = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(harmless{}, 1))))
})

// harmless writes the nodes of Markdown that could do something: HTML is shown as
// text, links lead only where a person may want to go, pictures are not fetched.
type harmless struct{}

func (harmless) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindAutoLink, autoLink)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindFencedCodeBlock, code)
}

// escaped writes text to the sink that all of this is written to.
func escaped(w util.BufWriter, text []byte) {
	s := w.(*sink)
	s.b = escape(s.b, text)
}

func rawHTML(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			s := segments.At(i)
			escaped(w, s.Value(src))
		}
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	w.WriteString("<p>")
	lines := n.Lines()
	for i := range lines.Len() {
		s := lines.At(i)
		escaped(w, s.Value(src))
	}
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

// image is a link to a picture: a page that loads pictures tells others who reads it.
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
	lines := n.Lines()
	for i := range lines.Len() {
		s := lines.At(i)
		escaped(w, s.Value(src))
	}
	w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func openLink(w util.BufWriter, to string) {
	w.WriteString(`<a rel="noopener noreferrer nofollow" target="_blank" href="`)
	w.Write(escape(nil, to))
	w.WriteString(`">`)
}

// address is where a link may lead: to the web and to mail. Anything else stays text.
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
