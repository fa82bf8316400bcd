// Package dialog implements the boxes over a screen of the app: a menu, a question, a
// line of text to type, and the sheet of keys.
//
// A box is a list in which letters act. It stays until it is answered or left with Esc.
package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Row is an answer.
type Row struct {
	Text string
	// Keys act on the row from anywhere in the box.
	Keys  []string
	Right []paint.Span // on the right, before the keys
	// Why says why the row is not available; "" if it is.
	Why string
	Do  func() tea.Cmd
}

// A Box is a dialog. Keys must be set.
type Box struct {
	Keys  *keys.Map
	Title string
	About []string // paragraphs above the rows
	Rows  []Row
	// Below are facts below the rows, each with its right side.
	Below [][2][]paint.Span
	// Verb says what Enter does; "" means choose. Letters name others.
	Verb    string
	Letters []paint.Hint
	// Type asks for a line of text; Typed is called with it.
	Type  *input.Line
	Typed func(text string) tea.Cmd
	// Show is called for the right arrow key on Below; nil means that there is nothing
	// to show.
	Show func() tea.Cmd
	// Left is called when the box is left without an answer; it may be nil.
	Left func() tea.Cmd
	Wide bool

	list   list.Model
	search *input.Line // of a menu that is being searched
	why    string      // why the last row that was chosen is not available
}

// Press handles a key. open is false when the box is over.
func (b *Box) Press(p tea.KeyPressMsg) (cmd tea.Cmd, open bool) {
	k := b.Keys
	switch {
	case k.Is(p, keys.SelectCancel) && b.search != nil:
		b.search = nil
		return nil, true
	case k.Is(p, keys.SelectCancel), k.Is(p, keys.Clear):
		if b.Left == nil {
			return nil, false
		}
		return b.Left(), false
	case k.Is(p, keys.SelectConfirm) && b.Type != nil && len(b.Rows) == 0:
		return b.Typed(b.Type.Value()), false
	case k.Is(p, keys.SelectConfirm):
		return b.choose(b.list.At)
	case b.Type != nil:
		b.Type.Press(p)
		return nil, true
	case b.search != nil && (keys.Typed(p) || !b.move(p)):
		b.search.Press(p)
		b.list.At = 0
		return nil, true
	case b.search != nil:
		return nil, true
	}
	for i, row := range b.rows() {
		for _, key := range row.Keys {
			if keys.Matches(p, key) {
				return b.choose(i)
			}
		}
	}
	switch {
	case k.Is(p, keys.SearchOpen):
		line := input.New(k, "")
		b.search = &line
	case b.Show != nil && k.Is(p, keys.TreeUnfoldOrDown):
		return b.Show(), true
	default:
		b.move(p)
	}
	return nil, true
}

// Select selects a row.
func (b *Box) Select(i int) {
	b.list.Len = len(b.Rows)
	b.list.Select(i)
}

func (b *Box) move(p tea.KeyPressMsg) bool {
	b.list.Len = len(b.rows())
	return b.list.Press(p, b.Keys)
}

func (b *Box) choose(i int) (tea.Cmd, bool) {
	rows := b.rows()
	if i >= len(rows) {
		return nil, true
	}
	b.list.Len = len(rows)
	b.list.Select(i)
	if rows[i].Why != "" {
		b.why = rows[i].Why
		return nil, true
	}
	return rows[i].Do(), false
}

// Paste inserts text where it is typed.
func (b *Box) Paste(text string) {
	if b.Type != nil {
		b.Type.Insert(text)
	}
}

// rows returns the rows that the search of the box lets pass.
func (b *Box) rows() []Row {
	if b.search == nil || b.search.Blank() {
		return b.Rows
	}
	var out []Row
	for _, r := range b.Rows {
		if strings.Contains(strings.ToLower(r.Text), strings.ToLower(strings.TrimSpace(b.search.Value()))) {
			out = append(out, r)
		}
	}
	return out
}

// The widths of boxes.
const (
	usual = 60
	wide  = 96
)

// Over draws the box over the lines of a screen.
func (b *Box) Over(t *paint.Theme, base []string, width, height int) []string {
	cells := min(usual, width-2)
	if b.Wide {
		cells = min(wide, width-2)
	}
	above, below := paint.Around(height)
	room := paint.Room(height)
	lines := b.lines(t, max(1, cells-4), max(1, room-2))
	var block []string
	if room-2 < 3 { // no room for a border
		block = b.lines(t, cells, room)
	} else {
		block = t.Box(cells, b.Title, lines)
	}
	out := append([]string{}, base...)
	from := above + room - len(block)
	if b.Wide {
		for i := above; i < above+room && i < len(out); i++ {
			out[i] = ""
		}
		from = above + min(2, (room-len(block))/2)
	}
	out = paint.Over(out, block, width, max(above, from))
	if below > 1 && b.why != "" && len(out) >= 2 {
		out[len(out)-2] = t.Line(width, paint.Span{Tone: paint.Error, Text: "  " + b.why})
	}
	return out
}

// lines draws what is in the box. If there is no room for all, the rows have it.
func (b *Box) lines(t *paint.Theme, cells, room int) []string {
	var above, below []string
	for _, text := range b.About {
		for _, row := range paint.WrapText(paint.Plain, text, cells) {
			above = append(above, t.Line(cells, row...))
		}
	}
	if b.Type != nil {
		above = append(above, b.Type.View(t, cells, "> ", true))
	}
	if b.search != nil {
		above = append(above, b.search.View(t, cells, "/", true))
	}
	rows := b.rows()
	if len(above) > 0 && len(rows) > 0 {
		above = append(above, "")
	}
	if len(b.Below) > 0 {
		below = append(below, "")
	}
	for _, f := range b.Below {
		below = append(below, t.Ends(cells, f[0], f[1]))
	}
	b.list.Len = len(rows)
	b.list.Select(b.list.At)
	least := min(len(rows), 3)
	if b.Type != nil {
		least = 1
	}
	if over := len(above) + least - room; over > 0 {
		above = above[min(over, len(above)):]
	}
	b.list.Resize(max(1, min(len(rows), room-len(above))))
	lines := append(above, b.list.View(func(i int) []string { return []string{b.row(t, cells, &rows[i], i == b.list.At)} })...)
	return append(lines, below[:max(0, min(len(below), room-len(lines)))]...)
}

func (b *Box) row(t *paint.Theme, cells int, r *Row, at bool) string {
	left := []paint.Span{{Text: "  "}, {Text: r.Text}}
	right := append([]paint.Span{}, r.Right...)
	var names []string // letters first
	for _, key := range r.Keys {
		if name := keys.Shown(key); len(name) == 1 {
			names = slices.Insert(names, 0, name)
		} else {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		right = append(right, paint.Span{Tone: paint.Accent, Text: "  " + strings.Join(names, "  ")})
	}
	if r.Why != "" {
		left[1].Tone = paint.Dim
		right = []paint.Span{{Tone: paint.Dim, Text: termsafe.Fit(r.Why, max(0, cells-termsafe.Width(r.Text)-4))}}
	}
	if !at {
		return t.Ends(cells, left, right)
	}
	left[0] = paint.Span{Tone: paint.Accent, Text: "› "}
	gap := max(1, cells-paint.Width(left)-paint.Width(right))
	left = append(left, paint.Span{Text: strings.Repeat(" ", gap)})
	return t.Selected(cells, append(left, right...)...)
}

// Hints returns the keys of the box.
func (b *Box) Hints() []paint.Hint {
	k := b.Keys
	verb := b.Verb
	if verb == "" {
		verb = "choose"
	}
	hints := append([]paint.Hint{{Key: k.Label(keys.SelectConfirm), Word: verb}}, b.Letters...)
	switch {
	case b.Type != nil:
	case b.Show != nil:
		hints = append(hints, paint.Hint{Key: "→", Word: "changes"})
	case len(b.Rows) > 3:
		hints = append(hints, paint.Hint{Key: "a letter", Word: "acts"}, paint.Hint{Key: k.Letter(keys.SearchOpen), Word: "filter"})
	}
	return append(hints, paint.Hint{Key: k.Label(keys.SelectCancel), Word: "close"})
}
