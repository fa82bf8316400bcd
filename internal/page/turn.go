package page

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/amount"
)

// A Subset is a part of a session.
type Subset uint8

// The subsets.
const (
	Everything Subset = iota
	Talk              // messages without thinking, tool calls and their results
	Prompts           // user messages
)

// A Choice selects the shown parts of a session. The zero Choice shows
// everything.
type Choice struct {
	Only  Subset
	Brief bool // without outputs
	// Most is the maximum number of characters of one output, argument or
	// thinking block; 0 means no limit. A note marks where text was cut.
	Most int
}

// A Turn is what a person said, what was done, and what was answered.
type Turn struct {
	Items    []inspect.Item
	Diffs    map[string]string // of the results of edits, by entry
	Spent    format.Spent
	Until    time.Time // of the last entry
	Model    string
	Agent    Agent
	Cwd      string // the project, and the home directory: paths are relative to them
	Home     string
	More     bool                 // it continues a turn that has a header already
	Bare     bool                 // without the line about the agent
	pictures map[string][]picture // by entry
	images   int
}

// A writer appends the HTML of a turn, and collects the rows of the tree.
type writer struct {
	Choice
	*Turn
	b       []byte
	rows    []Row
	changed []Change
	entry   func(inspect.Item) int // the number of an item's entry in its stretch
	used    map[int]int            // rows of an entry
	shown   map[string]int         // pictures of an entry
}

// A Change is what a call did to a file.
type Change struct {
	Path           string
	Added, Removed int
}

// HTML appends the turn as HTML.
func (t *Turn) HTML(dst []byte, c Choice) []byte {
	w := &writer{Choice: c, Turn: t, b: dst, shown: map[string]int{}}
	w.turn()
	return w.b
}

func (w *writer) raw(html ...string) {
	for _, s := range html {
		w.b = append(w.b, s...)
	}
}

func (w *writer) text(text string) { w.b = escape(w.b, text) }

// around writes text between two pieces of HTML.
func (w *writer) around(before, text, after string) {
	w.raw(before)
	w.text(text)
	w.raw(after)
}

// anchor returns the name of the anchor of an entry in a page, or "".
func anchor(id string) string {
	for _, r := range id {
		if r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return ""
		}
	}
	if id == "" {
		return ""
	}
	return "e-" + id
}

// mark adds a row for an item and writes the attributes that refer to it: the
// anchor of the entry, and the number of the row.
func (w *writer) mark(it *inspect.Item, r Row) {
	if w.entry == nil {
		return
	}
	r.Entry = w.entry(*it)
	if w.used[r.Entry]++; w.used[r.Entry] == 1 {
		if name := anchor(string(it.EntryID)); name != "" {
			w.raw(` id="`, name, `"`)
		}
	}
	if !w.Brief { // scripts do not use brief turns
		w.raw(` data-r="`, strconv.Itoa(len(w.rows)), `"`)
	}
	r.Text, r.Note = OneLine(r.Text, mostOfLine), OneLine(r.Note, mostOfLine)
	w.rows = append(w.rows, r)
}

// mostOfLine is the maximum number of characters in a row, and enoughOfLine the
// number of bytes of a text in which they are found.
const mostOfLine, enoughOfLine = 80, 1024

// turn writes the items in order: the prompt, the line about the agent, and
// texts with blocks of calls between them.
func (w *writer) turn() {
	items := w.Items
	for n := 0; n < len(items); {
		it := &items[n]
		switch it.Kind {
		case inspect.User:
			k := n + 1
			for k < len(items) && items[k].Kind == inspect.User && items[k].EntryID == it.EntryID {
				k++
			}
			w.prompt(items[n:k])
			n = k
			continue
		case inspect.Compaction, inspect.BranchSummary:
			if w.Only != Prompts {
				w.summary(it)
			}
		default:
			n = w.reply(n)
			continue
		}
		n++
	}
}

func (w *writer) prompt(items []inspect.Item) {
	text := ""
	for i := range items {
		text = cmp.Or(text, string(items[i].Text))
	}
	w.raw(`<div class="you"`)
	w.mark(&items[0], Row{Kind: 'u', Text: cmp.Or(text, "an image")})
	w.raw(`><div class="by"><b>You</b>`)
	w.time(items[0].Time.Time)
	w.label(string(items[0].Label))
	w.raw(`</div>`)
	for i := range items {
		w.said(&items[i])
	}
	w.raw("</div>\n")
}

// said writes the text or the image of an item.
func (w *writer) said(it *inspect.Item) {
	if it.Image != nil {
		w.picture(string(it.EntryID))
		return
	}
	w.say(string(it.Text))
}

func (w *writer) say(text string) {
	if text != "" {
		w.raw(`<div class="say" dir="auto">`)
		w.b = markdown(w.b, text)
		w.raw(`</div>`)
	}
}

// time writes a time in UTC as an element. The script of the page shows it in
// the zone of the reader.
func (w *writer) time(at time.Time) {
	if !at.IsZero() {
		w.raw(Time(at, "15:04"))
	}
}

// Time returns a time in UTC as an element, in a layout of package time.
func Time(at time.Time, layout string) string {
	day := ""
	if layout != "15:04" {
		day = ` data-day=""`
	}
	at = at.UTC()
	return `<time datetime="` + at.Format(time.RFC3339) + `"` + day + `>` + at.Format(layout) + `</time>`
}

func (w *writer) label(label string) {
	if label != "" {
		w.around(`<span class="chip tag">`, OneLine(label, 60), `</span>`)
	}
}

// reply writes the items up to the next prompt or summary, and returns its
// number. Items that only describe the session are not shown.
func (w *writer) reply(from int) int {
	to := from
	for to < len(w.Items) {
		switch w.Items[to].Kind {
		case inspect.User, inspect.Compaction, inspect.BranchSummary:
			goto found
		}
		to++
	}
found:
	items := w.visible(w.Items[from:to])
	if len(items) == 0 {
		return to
	}
	w.raw(`<div class="reply">`)
	if !w.More && !w.Bare {
		w.byline()
	}
	for n := 0; n < len(items); {
		if !isWork(&items[n]) {
			w.talk(&items[n])
			n++
			continue
		}
		k := n
		for k < len(items) && isWork(&items[k]) {
			k++
		}
		w.block(items[n:k])
		n = k
	}
	w.raw("</div>\n")
	return to
}

func isWork(it *inspect.Item) bool {
	return it.Kind == inspect.ToolUse || it.Kind == inspect.Thinking || it.Kind == inspect.Shell || it.Kind == inspect.Other
}

// visible returns the items that the choice shows and that are not about the
// session.
func (w *writer) visible(items []inspect.Item) []inspect.Item {
	out := make([]inspect.Item, 0, len(items))
	for _, it := range items {
		switch it.Kind {
		case inspect.ToolUse, inspect.Thinking, inspect.Shell, inspect.Other:
			if w.Only != Everything || it.Kind == inspect.Thinking && it.Text == "" {
				continue
			}
		case inspect.Response:
			if w.Only == Prompts || it.Text == "" && it.Image == nil && it.Label == "" {
				continue
			}
		case inspect.Failure:
			if w.Only == Prompts {
				continue
			}
		case inspect.Custom:
			if w.Only != Everything {
				continue
			}
		default:
			continue
		}
		out = append(out, it)
	}
	return out
}

// byline writes who answered, with what model, how long it took and what it
// cost: once for a turn.
func (w *writer) byline() {
	w.raw(`<div class="by">`)
	if !w.Brief {
		w.raw(w.Agent.Mark("sm", true))
	}
	w.around(`<b>`, w.Agent.Name, `</b><span>`)
	facts := []string{}
	if w.Model != "" {
		facts = append(facts, Escaped(OneLine(w.Model, 80)))
	}
	if first := w.Items[0].Time; !first.IsZero() && w.Until.Sub(first.Time) >= time.Second {
		facts = append(facts, Duration(w.Until.Sub(first.Time)))
	}
	facts = append(facts, costFacts(w.Spent)...)
	w.raw(strings.Join(facts, " · "), `</span></div>`)
}

// costFacts returns a cost and the tokens as HTML.
func costFacts(s format.Spent) (facts []string) {
	known := amount.Cents(s)
	switch {
	case s.Unpriced > 0 && known == "":
		facts = append(facts, "cost unknown")
	case s.Unpriced > 0:
		facts = append(facts, known+" + unknown")
	case s.Estimated:
		facts = append(facts, `<span title="Estimated from list prices">`+Escaped(known)+`</span>`)
	case known != "":
		facts = append(facts, Escaped(known))
	}
	if s.Tokens > 0 {
		facts = append(facts, tokens(s.Tokens)+" tokens")
	}
	return facts
}

// tokens returns a number of tokens in short.
func tokens(n int64) string {
	switch {
	case n >= 10_000_000:
		return strconv.FormatInt((n+500_000)/1_000_000, 10) + "M"
	case n >= 1_000_000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 2, 64), ".00") + "M"
	case n >= 10_000:
		return strconv.FormatInt((n+500)/1000, 10) + "k"
	case n >= 1000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1000, 'f', 1, 64), ".0") + "k"
	}
	return strconv.FormatInt(n, 10)
}

// Duration returns how long something took, in at most two units.
func Duration(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case s < 60:
		return strconv.FormatInt(s, 10) + " s"
	case s < 3600 && s%60 == 0:
		return strconv.FormatInt(s/60, 10) + " min"
	case s < 3600:
		return strconv.FormatInt(s/60, 10) + " min " + strconv.FormatInt(s%60, 10) + " s"
	case s < 24*3600:
		return strconv.FormatInt(s/3600, 10) + " h " + strconv.FormatInt(s%3600/60, 10) + " min"
	}
	return strconv.FormatInt(s/86400, 10) + " days " + strconv.FormatInt(s%86400/3600, 10) + " h"
}

// talk writes a text of the model, a failure, or a message of an extension.
func (w *writer) talk(it *inspect.Item) {
	kind, class, text := byte('a'), "said", unmarked(string(it.Text))
	switch it.Kind {
	case inspect.Failure:
		kind, class, text = 'f', "said notice bad", string(it.Text)
	case inspect.Custom:
		kind, class, text = 'x', "said custom", string(it.Name)+": "+text
	}
	w.raw(`<div class="`, class, `"`)
	w.mark(it, Row{Kind: kind, Text: cmp.Or(text, "(no text)"), Bad: kind == 'f'})
	w.raw(`>`)
	switch it.Kind {
	case inspect.Failure:
		w.raw(Icon("fail", ""))
		w.around(`<span dir="auto">`, OneLine(string(it.Name)+": "+string(it.Text), 2000), `</span>`)
	case inspect.Custom:
		w.around(`<p class="faint">`, string(it.Name), `</p>`)
		w.said(it)
	default:
		w.said(it)
	}
	w.label(string(it.Label))
	w.raw(`</div>`)
}

// summary writes the summary of a compaction, or of a branch that was left.
func (w *writer) summary(it *inspect.Item) {
	class, icon, text := "compaction", "compact", "Compacted"
	r := Row{Kind: 'k', Text: "Compaction", Icon: icon}
	if it.Kind == inspect.BranchSummary {
		class, icon, text = "compaction left", "branch", "Summary of a branch that was left"
		r = Row{Kind: 's', Text: "Summary of a branch", Icon: icon}
	} else if it.TokensBefore > 0 {
		r.Note = tokens(it.TokensBefore)
	}
	w.raw(`<details class="`, class, `"`)
	w.mark(it, r)
	w.raw(`><summary>`, Icon(icon, ""), `<span>`, text)
	if !it.Time.IsZero() {
		w.raw(`, `)
		w.time(it.Time.Time)
	}
	if r.Note != "" {
		w.raw(` · <span class="num">`, r.Note, ` tokens before</span>`)
	}
	w.raw(`</span>`)
	w.label(string(it.Label))
	w.raw(Icon("chev", "chev"), `</summary>`)
	w.say(string(it.Text))
	w.raw("</details>\n")
}

// unmarked returns the start of a text without the Markdown marks of words and
// of the first heading.
func unmarked(text string) string {
	return strings.TrimLeft(marks.Replace(text[:min(len(text), enoughOfLine)]), "# ")
}

var marks = strings.NewReplacer("**", "", "`", "")

// Count returns a number with its noun.
func Count(n int64, what string) string { return amount.Count(n, what) }

// Changes returns what the calls of the turn did to files.
func (t *Turn) Changes() []Change {
	w := &writer{Turn: t}
	for i := range t.Items {
		if t.Items[i].Kind == inspect.ToolUse {
			if c := w.readTool(&t.Items[i]); c.change.Path != "" {
				w.changed = append(w.changed, c.change)
			}
		}
	}
	return w.changed
}
