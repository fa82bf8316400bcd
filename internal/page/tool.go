package page

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// content writes the content of a message, block by block.
func (w *writer) content(c format.Content) {
	if c.IsText {
		w.say(c.Text)
		return
	}
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *format.TextBlock:
			w.say(b.Text)
		case *format.ThinkingBlock:
			w.thinking(b)
		case *format.ImageBlock:
			w.picture(b)
		case *format.ToolCallBlock:
			w.call(b)
		case *format.UnknownBlock:
			w.details("", func() { w.around(`<span class="n">`, b.Type, `</span><span class="r"></span>`) }, string(b.Raw))
		}
	}
}

func (w *writer) thinking(b *format.ThinkingBlock) {
	if w.Only == Talk || b.Thinking == "" {
		return
	}
	text, cut := w.cut(b.Thinking)
	w.raw(`<details class="think"><summary>Thinking</summary>`)
	w.say(text)
	w.cutNote(cut)
	w.raw(`</details>`)
}

func (w *writer) call(b *format.ToolCallBlock) {
	if w.Only == Talk {
		return
	}
	text := Argument(b)
	w.details(` data-call="`+CallKey(b.ID)+`"`, func() {
		w.around(`<span class="n">`, b.Name, `</span>`)
		w.around(`<span class="a">`, OneLine(text, mostOfCall), `</span><span class="r"></span>`)
	}, rest(b, text))
}

// CallKey returns a short name for a call in a page. The IDs of most providers are long
// and do not compress.
func CallKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// mostOfCall is the maximum length of a call's line.
const mostOfCall = 200

// rest returns the arguments of a call, or "" if its line, which shows message,
// contains all of them.
func rest(b *format.ToolCallBlock, message string) string {
	text := toolcall.Text(b.Arguments)
	if name, value, ok := strings.Cut(strings.TrimSuffix(text, "\n"), ": "); ok && value == message && len(value) <= mostOfCall && !strings.Contains(name+value, "\n") {
		return ""
	}
	return text
}

func (w *writer) result(e format.Entry, m *format.ToolResult, mark Mark) {
	w.section(e, mark, "quiet")
	text := PlainOutput(m.Content.Joined())
	diff := jsonl.LookupString(m.Details, "diff") // as pi's edit reports it
	shown := text
	if diff != "" {
		shown = diff
	}
	part, cut := w.cut(shown)
	w.around(`<details class="result" data-for="`+CallKey(m.ToolCallID)+`"><summary><span class="n">↳ `, m.ToolName, `</span><span class="r `)
	switch {
	case m.IsError:
		w.raw(`bad">✗ failed`)
	case diff != "":
		added, removed := countChanges(diff)
		w.raw(`ok">+` + strconv.Itoa(added) + ` −` + strconv.Itoa(removed))
	default:
		w.raw(`ok">✓ ` + Count(int64(lines(text)), "line"))
	}
	w.raw(`</span></summary><pre>`)
	if diff != "" {
		w.diff(part)
	} else {
		w.text(part)
	}
	w.raw(`</pre>`)
	w.cutNote(cut)
	for _, b := range m.Content.Blocks {
		if img, ok := b.(*format.ImageBlock); ok {
			w.picture(img)
		}
	}
	w.raw(`</details>`)
	w.shut()
}

func (w *writer) bash(e format.Entry, m *format.BashExecution, mark Mark) {
	w.open(e, mark, "user", "You ran")
	w.body()
	w.details("", func() {
		w.around(`<span class="n">!</span><span class="a">`, OneLine(m.Command, mostOfCall), `</span><span class="r `)
		switch {
		case m.Cancelled:
			w.raw(`bad">cancelled`)
		case m.ExitCode != nil && *m.ExitCode != 0:
			w.raw(`bad">✗ exit ` + strconv.FormatInt(*m.ExitCode, 10))
		default:
			w.raw(`ok">✓`)
		}
		w.raw(`</span>`)
	}, "$ "+m.Command+"\n"+PlainOutput(m.Output))
	w.shut()
}

func (w *writer) details(attributes string, summary func(), text string) {
	text, cut := w.cut(text)
	w.raw(`<details class="call"`, attributes, `><summary>`)
	summary()
	w.raw(`</summary>`)
	if text != "" {
		w.around(`<pre>`, text, `</pre>`)
	}
	w.cutNote(cut)
	w.raw(`</details>`)
}

// cut returns the start of a text, and the number of characters left out.
func (w *writer) cut(text string) (string, int) {
	if w.Most <= 0 || len(text) <= w.Most {
		return text, 0
	}
	end := w.Most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], utf8.RuneCountInString(text[end:])
}

func (w *writer) cutNote(cut int) {
	if cut > 0 {
		w.raw(`<div class="cutnote">… ` + Count(int64(cut), "more character") + `</div>`)
	}
}

// pictures are the image types that a browser shows and that have no active
// content.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// mostPicture is the maximum length of a shown image, in base64: a browser that
// decodes a larger one is blocked for a while.
const mostPicture = 24 << 20

// picture shows an image whose bytes match its type. Any other is described.
func (w *writer) picture(b *format.ImageBlock) {
	head, err := base64.StdEncoding.DecodeString(b.Data[:min(len(b.Data), 64)&^3])
	kind := http.DetectContentType(head)
	if err != nil || !slices.Contains(pictures, kind) || kind != b.MimeType || !isBase64(b.Data) {
		w.around(`<p class="cutnote">image (`, OneLine(b.MimeType, 60), `) cannot be shown</p>`)
		return
	}
	if len(b.Data) > mostPicture {
		w.raw(`<p class="cutnote">image of ` + strconv.Itoa(len(b.Data)*3/4>>20) + ` MB is too large for a page</p>`)
		return
	}
	if w.Most > 0 && len(b.Data) > 64*w.Most {
		w.raw(`<p class="cutnote">image of ` + strconv.Itoa(len(b.Data)*3/4>>10) + ` KB</p>`)
		return
	}
	w.raw(`<img class="picture" alt="image in the conversation" src="data:`, kind, `;base64,`, b.Data, `">`)
}

func isBase64(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return true
}

// Argument returns the most informative argument of a call, or all of them.
func Argument(b *format.ToolCallBlock) string {
	if text, _ := toolcall.Argument(b.Arguments); text != "" {
		return text
	}
	return string(b.Arguments)
}

func (w *writer) diff(text string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "+"):
			w.raw(`<span class="add">`)
		case strings.HasPrefix(line, "-"):
			w.raw(`<span class="del">`)
		default:
			w.text(line)
			continue
		}
		w.text(strings.TrimSuffix(line, "\n"))
		w.raw(`</span>`)
	}
}

func countChanges(diff string) (added, removed int) {
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

func lines(text string) int {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

// Count returns a number with its noun.
func Count(n int64, what string) string { return amount.Count(n, what) }
