package past

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/redact"
)

// A Guard prepares recorded text for answers: it redacts secrets and removes terminal
// escapes.
type Guard struct {
	whole   bool // disables redaction
	secrets redact.Sources

	mu       sync.Mutex // guards what follows
	infos    []catalog.Info
	projects []string // the projects of infos
	sources  []stamp  // sources of secrets at the time the redactor was made
	made     time.Time
	redactor *redact.Redactor
	learned  map[string]stamp // sessions whose secrets the redactor has learned
}

// A stamp records the size and time of a file or directory, to notice changes.
type stamp struct {
	path    string
	size    int64 // -1 if it does not exist
	written int64
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{path: path, size: -1}
	}
	return stamp{path, info.Size(), info.ModTime().UnixNano()}
}

// know collects the secrets of the projects of infos. It collects them again if
// a source has changed since the last answer.
func (g *Guard) know(infos []catalog.Info) error {
	if g.whole {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(infos) != len(g.infos) || len(infos) > 0 && &infos[0] != &g.infos[0] {
		g.infos = infos
		if dirs := foldersOf(infos); !slices.Equal(dirs, g.projects) {
			g.projects, g.redactor = dirs, nil
		}
	}
	if g.redactor != nil && !slices.ContainsFunc(g.sources, g.changed) {
		return nil
	}
	from := g.secrets
	from.Projects = append(slices.Clone(from.Projects), g.projects...)
	g.sources, g.made = nil, time.Now()
	for _, path := range from.Paths() {
		g.sources = append(g.sources, stampOf(path))
	}
	secrets, _ := redact.Collect(from) // the rules find the secrets of an unreadable source
	r, err := redact.New(redact.Options{Secrets: secrets})
	if err != nil {
		return err
	}
	g.redactor, g.learned = r, map[string]stamp{}
	return nil
}

// learn reads a session for its secrets, unless it did before, so that a secret
// that is recognized in one entry is redacted in all. It reports whether it read
// the session.
func (g *Guard) learn(ctx context.Context, s *pith.Session) (bool, error) {
	r := g.current()
	if g.whole || r == nil {
		return false, nil
	}
	now := stampOf(s.File())
	g.mu.Lock()
	before, there := g.learned[s.File()]
	g.mu.Unlock()
	if there && before == now {
		return false, nil
	}
	r.Learn([]byte(s.Name()))
	for line, err := range s.View().Reader().Lines() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return false, err
		}
		r.Learn(line.Raw)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.learned[s.File()] = now
	return true, nil
}

// changed reports whether a source may have changed since the redactor was made. A file
// that was written within the resolution of its time stamp counts as changed.
func (g *Guard) changed(s stamp) bool {
	const coarse = 2 * time.Second
	return s != stampOf(s.path) || s.written > g.made.Add(-coarse).UnixNano()
}

// foldersOf returns the distinct working directories of sessions, sorted.
func foldersOf(infos []catalog.Info) []string {
	seen := map[string]bool{}
	for i := range infos {
		if dir := infos[i].Cwd; !seen[dir] && filepath.IsAbs(dir) {
			seen[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Margin is the number of bytes around a piece that are redacted with it, so
// that a secret that is cut in half is still recognized.
const Margin = 4 << 10

// redacted returns text with placeholders for secrets.
func (g *Guard) redacted(text string) string {
	if g.whole || text == "" {
		return text
	}
	r := g.current()
	if r == nil {
		return withheld
	}
	out, _ := r.Text(text)
	return out
}

// masked is like redacted, for text that is compared and not shown. The number
// of a placeholder reveals the order in which secrets were shown, and compared
// text must not affect it.
func (g *Guard) masked(text string) string {
	if g.whole || text == "" {
		return text
	}
	r := g.current()
	if r == nil {
		return withheld
	}
	return r.MaskText(text)
}

// withheld replaces a text while the secrets are not known.
const withheld = "[withheld]"

func (g *Guard) current() *redact.Redactor {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.redactor
}

// veil returns a veil that hides from a search what answers hide; nil hides
// nothing.
func (g *Guard) veil() *search.Veil {
	r := g.current()
	if g.whole || r == nil {
		return nil
	}
	return &search.Veil{Line: r.MaskLine, Text: r.MaskText, Visible: redact.Visible}
}

// shown is like veil, with the placeholders that answers show.
func (g *Guard) shown() *search.Veil {
	r := g.current()
	if g.whole || r == nil {
		return nil
	}
	return &search.Veil{
		Line:    func(line []byte) []byte { out, _ := r.Line(line); return out },
		Text:    func(text string) string { out, _ := r.Text(text); return out },
		Visible: redact.Visible,
	}
}

// firstMessage returns the part of a session's first message that may be shown. The
// catalog keeps only the beginning of a long one, which may end in half a
// secret, and the length of the text after a secret reveals the secret's
// length. So firstMessage omits the end, and the text after a secret.
func (g *Guard) firstMessage(info *catalog.Info) string {
	const long, end = 1000, 200 // in characters
	text := info.FirstMessage
	if g.whole || utf8.RuneCountInString(text) < long {
		return text
	}
	whole := Cut(text, len(text)-end)
	whole = whole[:strings.LastIndexAny(whole, " \t\r\n")+1]
	for at, part := range redact.Visible(g.masked(text)) {
		if at == 0 && len(part) >= len(whole) {
			return whole
		}
		if at == 0 {
			return part + "[redacted] …"
		}
		break
	}
	return "[redacted] …"
}

// Title returns the name of a session, or the start of its first message, in
// quotes.
func (g *Guard) Title(info *catalog.Info, most int) string {
	text := cmp.Or(info.Name, g.firstMessage(info))
	if text == "" {
		return ""
	}
	return g.Line(text, most)
}

// names reports whether ref may name a recorded name. A name with a secret may
// not be used: a correct guess would reveal the secret.
func (g *Guard) names(recorded, ref string) bool {
	return recorded == ref && g.masked(ref) == ref
}

// Word returns a recorded tool name for an answer; "" if it could contain a
// sentence or a secret.
func (g *Guard) Word(name string) string {
	if !plain(name) || len(name) > 40 || g.masked(name) != name {
		return ""
	}
	return name
}

// harmless returns text without terminal escapes. It keeps tabs.
func harmless(text string) string {
	parts := strings.Split(text, "\t")
	for i := range parts {
		parts[i] = termsafe.Text(parts[i])
	}
	return strings.Join(parts, "\t")
}

// All returns the whole text, ready for an answer.
func (g *Guard) All(text string) string { return harmless(g.redacted(text)) }

// Beginning returns the first characters of text, at most most of them.
func (g *Guard) Beginning(text string, most int) string {
	return Short(harmless(window(text, most, g.redacted)), most)
}

// window returns the beginning of a redacted text, enough for most characters
// however long the secrets are. It omits an end that may be half a secret.
func window(text string, most int, redacted func(string) string) string {
	for size := 4*most + Margin; ; size *= 2 {
		part := Cut(text, size)
		out := redacted(part)
		if len(part) == len(text) && size == 4*most+Margin {
			return out
		}
		out = Cut(out, max(0, len(out)-Margin))
		if len(out) >= 4*most || len(part) == len(text) {
			return out + "…"
		}
	}
}

// Line returns the beginning of text on one line, in quotes.
func (g *Guard) Line(text string, most int) string {
	text = strings.TrimLeft(text, " \t\r\n")
	line := strings.Join(strings.Fields(termsafe.Line(window(text, most, g.redacted))), " ")
	return `"` + strings.ReplaceAll(Short(line, most), `"`, "'") + `"`
}

// ID returns a recorded ID for an answer. An ID that could contain a sentence
// is put in quotes, like all recorded text.
func (g *Guard) ID(id string) string {
	if plain(id) && len(id) <= 100 {
		return id
	}
	return g.Line(id, 100)
}

// Found returns the text around the match of a search, at most most characters of it.
func (g *Guard) Found(h *search.Hit, most int) string {
	text, at := h.Text(g.shown())
	if text == "" { // the entry has changed since
		return g.Beginning(h.Snippet.Text, most)
	}
	if len(text) <= most {
		return harmless(text)
	}
	start := at - most/4
	if start <= 0 {
		return Short(harmless(Cut(text, 4*most)), most)
	}
	for !utf8.RuneStart(text[start]) {
		start--
	}
	if i := strings.IndexAny(text[start:], " \n\t"); i >= 0 && i < most/8 {
		start += i + 1
	}
	return "…" + Short(harmless(Cut(text[start:], 4*most)), most)
}

// Short cuts text to at most most characters and ends a cut text with an ellipsis.
func Short(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	n := 0
	for i := range text {
		if n == max(0, most-1) {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// Cut returns at most most bytes of the beginning of text, whole characters only.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
