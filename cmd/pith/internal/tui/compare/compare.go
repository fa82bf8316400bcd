// Package compare implements the screen that shows two branches, or two sessions, from
// where they part: next to each other, or one at a time in a narrow window.
package compare

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/diff"
)

// A Side is a branch after the common part.
type Side struct {
	Title, Label string
	Current      bool
	Branch       diff.Branch
	Turns        []*inspect.Turn
	Tally        blocks.Tally
}

// Options are what is compared. Keys must be set.
type Options struct {
	Keys   *keys.Map
	Title  []string // the names of the project and the session
	Common diff.Common
	Sides  [2]Side
	// Branches is the number of branches of the session; 0 if sessions are compared.
	Branches int
	Renderer blocks.Renderer
	// Send passes a [Wish] to the app.
	Send func(Wish) tea.Cmd
}

// A Wish is sent when the app is to do something: leave, choose another branch, show the
// tree.
type Wish struct{ Action keys.Action }

// A Model is the screen.
type Model struct {
	o             Options
	sides         [2]side
	at            int // the side with the focus
	width, height int
}

// A side is a list of blocks.
type side struct {
	list   list.Model
	blocks []blocks.Block
	open   map[int]bool // blocks that were folded or unfolded
	drawn  [][]string   // nil for those that are not drawn
	with   blocks.Renderer
}

// New returns a screen.
func New(o Options) *Model {
	m := &Model{o: o}
	for i := range m.sides {
		s := &m.sides[i]
		for _, t := range o.Sides[i].Turns {
			for _, b := range blocks.Of(t, nil) {
				if b.Kind != blocks.Run && b.Kind != blocks.Thinking {
					b.InRun = false
					s.blocks = append(s.blocks, b)
				}
			}
		}
		s.open, s.drawn, s.with = map[int]bool{}, make([][]string, len(s.blocks)), o.Renderer
		s.list.Len = len(s.blocks)
		s.list.Height = func(i int) int { return len(s.lines(i)) }
		s.list.Head = func(i int) bool { return s.blocks[i].Kind == blocks.Prompt }
	}
	return m
}

// lines draws a block once, with a blank line where that helps.
func (s *side) lines(i int) []string {
	if s.drawn[i] == nil {
		b := &s.blocks[i]
		lines := s.with.Draw(b, (b.Kind == blocks.Call && b.Failed()) != s.open[i])
		if i > 0 && (b.Kind != blocks.Call || s.blocks[i-1].Kind != blocks.Call) && s.blocks[i-1].Kind != blocks.Model {
			lines = append([]string{""}, lines...)
		}
		s.drawn[i] = append([]string{}, lines...)
	}
	return s.drawn[i]
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	s := &m.sides[m.at]
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		s.list.Move(keys.WheelLines(msg) / 3)
	case tea.KeyPressMsg:
		k := m.o.Keys
		switch action := k.First(msg, keys.SelectConfirm, keys.InputTab, keys.SelectCancel, keys.Clear, keys.Compare, keys.Tree, keys.Help, keys.Quit); action {
		case keys.SelectConfirm:
			if i := s.list.At; i < len(s.blocks) {
				s.open[i], s.drawn[i] = !s.open[i], nil
			}
		case keys.InputTab:
			m.at = 1 - m.at
		case keys.Clear, keys.Quit:
			return m.o.Send(Wish{keys.SelectCancel})
		case "":
			s.list.Press(msg, k)
		default:
			return m.o.Send(Wish{action})
		}
	}
	return nil
}

// besideFrom is the width of a window that shows both sides.
const besideFrom = 110

func (m *Model) resize(t *paint.Theme, width, height int) {
	m.height = height
	cells := width
	if width >= besideFrom {
		cells = (width - 1) / 2
	}
	for i := range m.sides {
		s := &m.sides[i]
		if w := max(1, cells-3); s.with.Width != w || s.with.Theme != t {
			s.with.Width, s.with.Theme = w, t
			clear(s.drawn)
		}
	}
	m.width = width
}

// Frame returns the screen.
func (m *Model) Frame(t *paint.Theme, width, height int) *paint.Frame {
	m.resize(t, width, height)
	f := &paint.Frame{Under: m.common(t, width), Body: m.table(t, width)}
	for _, part := range m.o.Title {
		f.Title = append(f.Title, paint.Faint(part), paint.Faint(" › "))
	}
	f.Title = append(f.Title, paint.Span{Tone: paint.Strong, Text: "compare"})
	if m.o.Branches > 0 {
		f.Right = []paint.Span{paint.Faint(fmt.Sprintf("2 of %s", humanize.Count(m.o.Branches, "branch")))}
	}
	room := max(1, paint.Room(height)-len(f.Body)-1)
	if paint.Room(height) < 12 { // a low window: the branches alone
		f.Body, room = nil, max(1, paint.Room(height)-1)
	}
	s := &m.sides[m.at]
	if width < besideFrom {
		f.Body = append(f.Body, m.tabs(t, width))
		f.Body = append(f.Body, m.side(t, m.at, width, room)...)
	} else {
		half := (width - 1) / 2
		rule := strings.Repeat("─", half)
		f.Body = append(f.Body, t.Line(width, paint.Faint(rule+"┬"+strings.Repeat("─", width-half-1))))
		left, right := m.side(t, 0, half, room), m.side(t, 1, width-half-1, room)
		for i := range room {
			l, r := "", ""
			if i < len(left) {
				l = left[i]
			}
			if i < len(right) {
				r = right[i]
			}
			f.Body = append(f.Body, l+strings.Repeat(" ", max(0, half-paint.Shown(l)))+t.Line(1, paint.Faint("│"))+r)
		}
	}
	side := &m.o.Sides[m.at]
	f.Status = []paint.Span{paint.Faint(facts.Join(string(rune('A'+m.at))+": "+began(side), humanize.Count(side.Branch.Entries, "entry"), side.Label))}
	if turn, of := s.turn(); of > 0 {
		f.Place = []paint.Span{paint.Faint(fmt.Sprintf("turn %d of %d", turn, of))}
	}
	k := m.o.Keys
	other := string(rune('A' + 1 - m.at))
	f.Hints = []paint.Hint{{Key: k.Label(keys.SelectConfirm), Word: "unfold"}, {Key: k.Label(keys.InputTab), Word: "side " + other}, {Key: k.Letter(keys.Compare), Word: "another branch"},
		{Key: k.Letter(keys.Tree), Word: "tree"}, {Key: k.Label(keys.SelectCancel), Word: "back"}, {Key: k.Letter(keys.Help), Word: "more"}}
	return f
}

func began(s *Side) string {
	if s.Branch.Begun.IsZero() {
		return "branch"
	}
	return "branch of " + s.Branch.Begun.Local().Format("15:04")
}

// turn returns the number of the selected turn and of all.
func (s *side) turn() (at, of int) {
	for i := range s.blocks {
		if s.blocks[i].Kind == blocks.Prompt {
			if of++; i <= s.list.At {
				at++
			}
		}
	}
	return max(at, min(of, 1)), of
}

func (m *Model) common(t *paint.Theme, width int) string {
	c := &m.o.Common
	text := "Nothing in common"
	if c.Entries > 0 {
		text = "In common: " + humanize.Count(c.Turns, "turn") + ", " + humanize.Count(c.Entries, "entry")
		if c.Question != "" {
			text += ", up to “" + termsafe.Fit(c.Question, max(8, width-termsafe.Width(text)-12)) + "”"
		}
	}
	return t.Line(width, paint.Faint(" "+text))
}

// nameCells is the width of the names of the facts.
const nameCells = 16

// table compares facts of both sides.
func (m *Model) table(t *paint.Theme, width int) (lines []string) {
	cell := (width - nameCells) / 2
	add := func(name string, value func(s *Side) string) {
		spans := []paint.Span{paint.Faint(termsafe.Pad(" "+name, nameCells))}
		for i := range m.o.Sides {
			spans = append(spans, paint.Span{Text: termsafe.Pad(termsafe.Fit(value(&m.o.Sides[i]), cell-2), cell)})
		}
		lines = append(lines, t.Line(width, spans...))
	}
	heads := []paint.Span{{Text: strings.Repeat(" ", nameCells)}}
	for i := range m.o.Sides {
		s := &m.o.Sides[i]
		after := ""
		if s.Label != "" {
			after = "  [" + s.Label + "]"
		}
		if s.Current {
			after += "  current"
		}
		name := string(rune('A'+i)) + "  " + termsafe.Fit(s.Title, max(4, cell-6-termsafe.Width(after)))
		tone := paint.Plain
		if i == m.at {
			tone = paint.Strong
		}
		heads = append(heads, paint.Span{Tone: tone, Text: name}, paint.Span{Tone: paint.Warning, Text: termsafe.Pad(after, max(0, cell-termsafe.Width(name)))})
	}
	lines = append(lines, "", t.Line(width, heads...))
	add("last response", func(s *Side) string {
		if s.Branch.Failure != "" {
			return "✗ " + s.Branch.Failure
		}
		return strings.Join(strings.Fields(s.Branch.Answer), " ")
	})
	add("turns, calls", func(s *Side) string {
		return fmt.Sprintf("%d, %d · %d failed", len(s.Branch.Turns), s.Tally.Calls, s.Tally.Failed)
	})
	add("files", func(s *Side) string {
		return strings.TrimSpace(fmt.Sprintf("%d %s", len(s.Tally.Files), facts.Text(facts.Changes(s.Tally.Added, s.Tally.Removed))))
	})
	add("time, cost", func(s *Side) string {
		took := ""
		if d := s.Branch.Ended.Sub(s.Branch.Begun); d > 0 {
			took = facts.Duration(d)
		}
		return facts.Join(took, facts.Cost(s.Branch.Spent))
	})
	return lines
}

// tabs names both sides in the rule of a narrow window.
func (m *Model) tabs(t *paint.Theme, width int) string {
	spans := []paint.Span{paint.Faint("──")}
	for i := range m.o.Sides {
		title := " " + string(rune('A'+i)) + " "
		tone := paint.Dim
		if i == m.at {
			title, tone = " ["+string(rune('A'+i))+"] ", paint.Accent
		}
		spans = append(spans, paint.Span{Tone: tone, Text: title + termsafe.Fit(m.o.Sides[i].Title, max(4, width/2-12)) + " "}, paint.Faint("──"))
	}
	spans = append(spans, paint.Faint(strings.Repeat("─", max(0, width-paint.Width(spans)))))
	return t.Line(width, spans...)
}

// side draws the blocks of a side, with a cursor on the one with the focus.
func (m *Model) side(t *paint.Theme, i, width, room int) []string {
	s := &m.sides[i]
	s.list.Resize(room)
	lines := s.list.View(func(k int) []string {
		var out []string
		for n, line := range s.lines(k) {
			sign := "   "
			if i == m.at && k == s.list.At && (line != "" && (n == 0 || n == 1 && s.lines(k)[0] == "")) {
				sign = t.Line(3, paint.Span{Tone: paint.Accent, Text: " › "})
			}
			if line == "" {
				sign = ""
			}
			out = append(out, paint.Cut(sign+line, width))
		}
		return out
	})
	if len(lines) < room {
		lines = append(lines, "", t.Line(width, paint.Faint(fmt.Sprintf("   %c ends here.", 'A'+i))))
	}
	return lines[:min(len(lines), room)]
}
