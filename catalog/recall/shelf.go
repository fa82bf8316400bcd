package recall

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// An Exchange is the part of a session in which something was said.
type Exchange struct {
	// FirstEntry is where it begins: the message of the user. "" if it is not known.
	FirstEntry string
	Question   string // what the user said
	Answer     string // what the model said last in it
	// Tools are the tools that were called, Errors how many of them failed.
	Tools  []inspect.ToolUses
	Errors int
	// Modified are the files that were written or edited.
	Modified []string
	// Left says that the conversation went on elsewhere: the branch was tried and
	// left. Why is the summary that was made then; "" for none.
	Left bool
	Why  string
}

// A shelf keeps the sessions open that a question is about.
type shelf struct {
	o    search.Options
	open map[string]*volume
}

// A volume is one session.
type volume struct {
	s      *pith.Session
	view   *pith.View
	active map[int]bool // positions on the path to the leaf
	begins map[string]string
}

func newShelf(o search.Options) *shelf { return &shelf{o, map[string]*volume{}} }

func (s *shelf) close() {
	for _, v := range s.open {
		if v != nil {
			_ = v.s.Close() // it was only read
		}
	}
}

// volume opens a session; nil if it cannot be read.
func (s *shelf) volume(ctx context.Context, info *catalog.Info) *volume {
	if v, ok := s.open[info.Path]; ok {
		return v
	}
	s.open[info.Path] = nil
	opened, err := pith.Open(ctx, info.Path, pith.Options{ReadOnly: true, Tables: s.o.Tables})
	if err != nil {
		return nil
	}
	v := &volume{s: opened, view: opened.View(), active: map[int]bool{}, begins: map[string]string{}}
	if path, err := v.view.Path(""); err == nil {
		for _, pos := range path {
			v.active[pos] = true
		}
	}
	s.open[info.Path] = v
	return v
}

// exchangeOf is the entry with which the exchange of a hit begins; the hit's own
// where that cannot be told.
func (s *shelf) exchangeOf(ctx context.Context, h *search.Hit) string {
	v := s.volume(ctx, &h.Session)
	if v == nil || h.EntryID == "" {
		return h.EntryID
	}
	return v.begin(h.EntryID)
}

// begin is the message of the user that an entry follows.
func (v *volume) begin(id string) string {
	if first, ok := v.begins[id]; ok {
		return first
	}
	first := id
	if path, err := v.view.Path(id); err == nil {
		for _, pos := range slices.Backward(path) {
			e := v.view.At(pos)
			first = e.ID
			if e.Type == format.TypeMessage && e.Role == format.RoleUser {
				break
			}
		}
	}
	v.begins[id] = first
	return first
}

// told is how much of one text of an exchange is kept.
const told = 64 << 10

// tell reads what stands in the exchange of a memory.
func (s *shelf) tell(ctx context.Context, m *Memory) {
	v := s.volume(ctx, &m.Session)
	if v == nil || m.Hit.EntryID == "" {
		return
	}
	pos, err := v.view.Find(m.Hit.EntryID)
	if err != nil {
		return
	}
	m.Left = !v.active[pos]
	if m.Left {
		m.Why = v.whyLeft(pos)
	}
	if line, err := v.view.Line(pos); err == nil {
		m.HitText, m.HitAt = window(search.Text(line.Raw, &m.Hit), m.Hit.At)
	}
	x := v.exchange(m.Hit.EntryID)
	if x == nil {
		return
	}
	m.fill(x)
}

// window is the part of a long text around a place.
func window(text string, at int) (string, int) {
	at = min(at, len(text))
	from, to := max(0, at-told), min(len(text), at+told)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return strings.Clone(text[from:to]), at - from
}

func (x *Exchange) fill(from *inspect.Exchange) {
	x.FirstEntry = string(from.EntryID)
	for i := range from.Items {
		it := &from.Items[i]
		if it.Kind == inspect.User && it.Text != "" && x.Question == "" {
			x.Question = string(it.Text)
		}
		if it.Tool != nil && it.Tool.Result != nil && it.Tool.Result.IsError {
			x.Errors++
		}
	}
	x.Answer = string(from.LastAnswer())
	x.Tools = from.ToolUses()
	x.Modified = from.Modified()
}

// exchange is the exchange that holds an entry, on the branch that goes on behind
// it; nil if it cannot be read.
func (v *volume) exchange(id string) *inspect.Exchange {
	reading, err := inspect.Open(v.s, inspect.Scope{Leaf: v.tip(id)})
	if err != nil {
		return nil
	}
	i, err := reading.Holding(id)
	if err != nil {
		return nil
	}
	x, err := reading.Exchange(i, inspect.Detail{MaxContent: told, Brief: true})
	if err != nil {
		return nil
	}
	return x
}

// tip is an end of the branch that an entry is on: the leaf, or the newest entry
// behind it.
func (v *volume) tip(id string) string {
	pos, err := v.view.Find(id)
	if err != nil || v.active[pos] {
		return ""
	}
	for range v.view.Len() { // a damaged file can hold a circle
		children, err := v.view.Children(id)
		if err != nil || len(children) == 0 {
			break
		}
		id = v.view.At(children[len(children)-1]).ID
	}
	return id
}

// whyLeft is the summary of the branch that an entry is on; "" for none.
func (v *volume) whyLeft(pos int) string {
	for i := range v.view.Len() {
		if v.view.At(i).Type != format.TypeBranchSummary {
			continue
		}
		entry, err := v.view.Entry(i)
		summary, ok := entry.(*format.BranchSummary)
		if err != nil || !ok {
			continue
		}
		if path, err := v.view.Path(summary.FromID); err == nil && summary.FromID != "" && slices.Contains(path, pos) {
			return summary.Summary
		}
	}
	return ""
}
