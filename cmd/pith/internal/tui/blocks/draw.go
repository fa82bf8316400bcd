package blocks

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/markdown"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

// A Renderer draws blocks in the colors of a theme.
type Renderer struct {
	Theme *paint.Theme
	Width int // of the text
	// Home is shown as ~, and the paths of the project are relative to Cwd.
	Home, Cwd string
	Agent     *facts.Agent
	Whole     bool // draw unfolded blocks completely
}

// Widest is the maximum width of texts: longer lines are hard to read.
const Widest = 110

func (r *Renderer) line(tone paint.Tone, text string) string {
	return r.Theme.Line(r.Width, paint.Span{Tone: tone, Text: text})
}

// Path returns a path as it is shown.
func (r *Renderer) Path(path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(r.Cwd, "/")+"/"); ok && r.Cwd != "" && filepath.IsLocal(rest) {
		return rest
	}
	return humanize.Path(r.Home, path)
}

// Draw returns the lines of a block.
func (r *Renderer) Draw(b *Block, open bool) []string {
	it := b.Item
	switch b.Kind {
	case Prompt:
		return r.prompt(it)
	case Model:
		return []string{r.model(b)}
	case Text:
		return append(r.labels(it), r.Marked(string(it.Text))...)
	case Thinking:
		return r.folded(it, "thinking", string(it.Text), open)
	case Run:
		return []string{r.run(b, open)}
	case Call:
		return r.call(b, open)
	case Shell:
		return r.shell(it, open)
	case Summary:
		title := "summary of a branch"
		if it.Kind == inspect.Compaction {
			title = "compacted " + humanize.Short(it.TokensBefore) + " tokens"
		}
		return r.summary(it, title, open)
	case Custom:
		return append(r.labels(it, paint.Span{Tone: paint.Warning, Text: "[" + string(it.Name) + "]"}), r.Wrapped(paint.Plain, string(it.Text))...)
	case Failure:
		return r.Wrapped(paint.Error, "✗ response stopped: "+failure(it))
	case Branches:
		return r.branches(b.Branch)
	}
	if it.Kind == inspect.System {
		return r.folded(it, "system", string(it.Text), open)
	}
	return []string{r.line(paint.Dim, "["+string(it.Name)+"]")}
}

// failure returns how a response ended, and why if that adds something.
func failure(it *inspect.Item) string {
	how, why := string(it.Name), strings.TrimSpace(string(it.Text))
	if why == "" || strings.EqualFold(how, why) {
		return how
	}
	return strings.TrimSpace(how + " " + why)
}

// prompt draws a prompt with a bar at its left and its time at the right.
func (r *Renderer) prompt(it *inspect.Item) []string {
	lines := r.labels(it)
	bar := r.Theme.Line(2, paint.Span{Tone: r.Agent.Tone, Text: "▎ "})
	text, clock := string(it.Text), ""
	if it.Image != nil {
		text = it.Image.String()
	}
	room := max(1, r.Width-2)
	if !it.Time.IsZero() && r.Width > 40 {
		clock = it.Time.Local().Format("15:04")
		room -= 8
	}
	for i, row := range paint.WrapText(paint.Strong, text, room) {
		line := bar + r.Theme.Line(room, row...)
		if i == 0 && clock != "" {
			line += strings.Repeat(" ", max(1, r.Width-paint.Shown(line)-len(clock))) + r.Theme.Line(len(clock), paint.Faint(clock))
		}
		lines = append(lines, line)
	}
	return lines
}

// model draws the model of a turn with its time, cost and tokens.
func (r *Renderer) model(b *Block) string {
	name := string(b.Item.Model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	took := ""
	if d := Lasted(b.Turn); d >= time.Second {
		took = facts.Duration(d)
	}
	return r.Theme.Line(r.Width, r.Agent.Span(), paint.Span{Tone: paint.Dim, Text: " " + facts.Join(name, took, facts.Cost(b.Turn.Spent), tokens(b.Turn.Spent.Tokens))})
}

func tokens(n int64) string {
	if n == 0 {
		return ""
	}
	return facts.Tokens(n)
}

// Lasted returns how long a turn took; 0 if that is unknown.
func Lasted(x *inspect.Turn) time.Duration {
	last := x.Time.Time
	for i := range x.Items {
		it := &x.Items[i]
		if it.Time.After(last) {
			last = it.Time.Time
		}
		if it.Tool != nil && it.Tool.Result != nil && it.Tool.Result.Time.After(last) {
			last = it.Tool.Result.Time.Time
		}
	}
	if x.Time.IsZero() {
		return 0
	}
	return last.Sub(x.Time.Time)
}

func fold(open bool) string {
	if open {
		return "▾ "
	}
	return "▸ "
}

// folded draws a text of which one line is shown until it is unfolded.
func (r *Renderer) folded(it *inspect.Item, title, text string, open bool) []string {
	text = strings.TrimSpace(text)
	if !open {
		return append(r.labels(it), r.line(paint.Dim, "▸ "+title+": "+firstLine(text)))
	}
	return append(append(r.labels(it), r.line(paint.Dim, "▾ "+title)), r.Wrapped(paint.Dim, text)...)
}

// summary draws a summary; folded, only its start.
func (r *Renderer) summary(it *inspect.Item, title string, open bool) []string {
	lines := r.labels(it, paint.Span{Tone: paint.Warning, Text: fold(open) + title})
	if open {
		return append(lines, r.Marked(string(it.Text))...)
	}
	return append(lines, r.line(paint.Dim, "  "+firstLine(string(it.Text))))
}

// run draws the head of several calls.
func (r *Renderer) run(b *Block, open bool) string {
	var t Tally
	for _, it := range b.Calls {
		t.Add(it)
	}
	left := []paint.Span{{Tone: paint.Dim, Text: fold(open) + humanize.Count(t.Calls, "call")}}
	if t.Failed > 0 {
		left = append(left, paint.Faint(" · "), paint.Span{Tone: paint.Error, Text: fmt.Sprintf("%d failed", t.Failed)})
	}
	if changed := t.Spans(); changed != nil {
		left = append(append(left, paint.Faint(" · ")), changed...)
	}
	took := ""
	if t.Took > 0 {
		took = facts.Duration(t.Took)
	}
	return r.Theme.Ends(r.Width, left, []paint.Span{{Tone: paint.Dim, Text: took}})
}

// branches draws the branches that continue at an entry.
func (r *Renderer) branches(f *Fork) []string {
	lines := []string{r.Theme.Ends(r.Width, []paint.Span{paint.Faint("├ "), {Tone: paint.Accent, Text: humanize.Count(len(f.Ways), "branch")}, paint.Faint(" continue here")}, []paint.Span{{Tone: paint.Accent, Text: "v"}, paint.Faint(" compare")})}
	for i, w := range f.Ways {
		lane, sign, tone := "│ ", "○ ", paint.Dim
		if i == len(f.Ways)-1 {
			lane = "╰ "
		}
		right := facts.Join(humanize.Count(w.Entries, "entry"), facts.Cost(w.Spent))
		if w.Shown {
			sign, tone = "● ", paint.Plain
		}
		if w.Current {
			right = "current · " + right
		}
		left := []paint.Span{paint.Faint(lane), {Tone: tone, Text: sign}, {Tone: tone, Text: termsafe.Fit(w.Text, max(4, r.Width-len(right)-24))}}
		if w.Label != "" {
			left = append(left, paint.Span{Tone: paint.Warning, Text: "  [" + w.Label + "]"})
		}
		lines = append(lines, r.Theme.Ends(r.Width, left, []paint.Span{paint.Faint(right)}))
	}
	return lines
}

// Wrapped draws a text in one tone.
func (r *Renderer) Wrapped(tone paint.Tone, text string) []string {
	return r.wrapTo(r.Width, tone, text)
}

// labels returns a separate line for a label and other spans above a block, or
// nil if there are none.
func (r *Renderer) labels(it *inspect.Item, spans ...paint.Span) []string {
	if it.Label != "" {
		spans = append([]paint.Span{{Tone: paint.Warning, Text: "[" + string(it.Label) + "] "}}, spans...)
	}
	if len(spans) == 0 {
		return nil
	}
	return []string{r.Theme.Line(r.Width, spans...)}
}

// firstLine returns the first nonblank line of a text, not too long.
func firstLine(text string) string {
	text = strings.TrimSpace(text)
	line, _, _ := strings.Cut(text, "\n")
	return termsafe.Fit(line, 200)
}

// mostMarkdown is the maximum length of a text that is rendered as Markdown;
// longer ones are shown unformatted.
const mostMarkdown = 128 << 10

// Marked draws any text as Markdown.
func (r *Renderer) Marked(text string) []string {
	if len(text) > mostMarkdown || r.Width < 12 {
		return r.Wrapped(paint.Plain, text)
	}
	spans := markdown.Lines(text, r.Width)
	lines := make([]string, len(spans))
	for i, line := range spans {
		lines[i] = r.Theme.Line(r.Width, line...)
	}
	return lines
}

// Streamed draws a text that is arriving.
func (r *Renderer) Streamed(text string, thinking bool) []string {
	if thinking {
		return r.Wrapped(paint.Dim, text)
	}
	return r.Marked(text)
}

// wrapTo wraps a text at its words.
func (r *Renderer) wrapTo(width int, tone paint.Tone, text string) []string {
	var lines []string
	for _, row := range paint.WrapText(tone, text, width) {
		lines = append(lines, r.Theme.Line(width, row...))
	}
	return lines
}
