package recall

import (
	"context"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A Turn is a user message with its responses.
type Turn struct {
	// FirstEntry is its first entry, the user message, or "" if it is unknown.
	FirstEntry string `json:"entryId" empty:"null"`
	Question   string `json:"question"` // text of the user message
	Answer     string `json:"response"` // last text of the model
	// Modified are the files that were written or edited.
	Modified []string `json:"modified"`
	// Tools are the tools that were called, Errors the number of calls that
	// failed.
	Tools  []inspect.ToolUses
	Errors int `json:"errors"`
	// Left means that the turn is not on the active path: the branch was
	// abandoned. Why is the summary of that branch, or "".
	Left bool   `json:"left"`
	Why  string `json:"summary" empty:"null"`
}

// A shelf holds the open sessions of a question.
type shelf struct {
	o    search.Options
	open map[string]*volume
}

// A volume is one session.
type volume struct {
	s      *pith.Session
	view   *pith.View
	begins map[string]string
}

func newShelf(o search.Options) *shelf { return &shelf{o, map[string]*volume{}} }

func (s *shelf) close() {
	for _, v := range s.open {
		if v != nil {
			_ = v.s.Close() // only read
		}
	}
}

// openAll opens sessions that are not open yet, several concurrently. A session
// that cannot be read becomes nil.
func (s *shelf) openAll(ctx context.Context, paths []string) {
	paths = slices.DeleteFunc(paths, func(path string) bool { _, ok := s.open[path]; return ok })
	slices.Sort(paths)
	paths = slices.Compact(paths)
	opened := make([]*volume, len(paths))
	open := func(ctx context.Context, _ *struct{}, i int) (none struct{}) {
		opened[i] = s.volume(ctx, paths[i])
		return none
	}
	for range parallel.InOrder(ctx, len(paths), open) {
	}
	for i, v := range opened { // also if ctx ended: all are closed in the end
		s.open[paths[i]] = v
	}
}

// volume opens a session. It returns nil if it cannot be read.
func (s *shelf) volume(ctx context.Context, path string) *volume {
	opened, err := pith.Open(ctx, path, pith.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	return &volume{s: opened, view: opened.View(), begins: map[string]string{}}
}

// left reports whether an entry is not on the path to the leaf.
func (v *volume) left(pos int) bool {
	path, err := v.view.Path("")
	return err != nil || !slices.Contains(path, pos)
}

// several opens the sessions that have more than one of the hits, at most most
// of them: a single hit need not be grouped. Sessions for which of returns the
// same path count as one.
func (s *shelf) several(ctx context.Context, hits []search.Hit, most int, of func(path string) string) {
	count := map[string]int{}
	for i := range hits {
		count[of(hits[i].Session.Path)]++
	}
	var paths []string
	for i := range hits {
		if path := hits[i].Session.Path; count[of(path)] > 1 && len(paths) < most && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	s.openAll(ctx, paths)
}

// beginOf returns the first entry of the turn of a hit, or the hit's own
// entry if that is unknown.
func (s *shelf) beginOf(h *search.Hit) string {
	v := s.open[h.Session.Path]
	if v == nil || h.EntryID == "" {
		return h.EntryID
	}
	return v.begin(h.EntryID)
}

// begin returns the user message that an entry follows.
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

// maxText is the maximum length of one text of a turn.
const maxText = 64 << 10

// each calls do for 0 to n-1 with the session at a path, several concurrently,
// if it can be read.
func (s *shelf) each(ctx context.Context, n int, path func(i int) string, do func(v *volume, i int)) {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = path(i)
	}
	s.openAll(ctx, paths)
	work := func(_ context.Context, _ *struct{}, i int) (none struct{}) {
		if v := s.open[path(i)]; v != nil {
			do(v, i)
		}
		return none
	}
	for range parallel.InOrder(ctx, n, work) {
	}
}

// readTurn reads the turn of a memory.
func (v *volume) readTurn(m *Memory) {
	if m.Hit.EntryID == "" {
		return
	}
	pos, err := v.view.Find(m.Hit.EntryID)
	if err != nil {
		return
	}
	if m.Left = v.left(pos); m.Left {
		m.Why = v.whyLeft(pos)
	}
	x := v.turn(m.Hit.EntryID)
	if x == nil {
		return
	}
	m.fill(x)
}

func (x *Turn) fill(from *inspect.Turn) {
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
	x.Answer = string(from.LastResponse())
	x.Tools = from.ToolUses()
	x.Modified = from.Modified()
}

// turn returns the turn that contains an entry, on the branch that
// continues after it, or nil if it cannot be read.
func (v *volume) turn(id string) *inspect.Turn {
	reading, err := inspect.Open(v.s, inspect.Scope{Leaf: inspect.LeafThrough(v.view, id)})
	if err != nil {
		return nil
	}
	i, err := reading.Holding(id)
	if err != nil {
		return nil
	}
	x, err := reading.Turn(i, inspect.Detail{MaxContent: maxText, Brief: true})
	if err != nil {
		return nil
	}
	return x
}

// whyLeft returns the summary of the branch that an entry is on, or "".
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
