package subagent

import (
	"cmp"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/prices"
)

// conversation fills missing facts of a run from messages that are not in a
// session.
func (w *walker) conversation(r *Run) {
	switch r.Source.Kind {
	case FromTranscript, FromEvents, FromInline:
	default:
		return
	}
	var f facts
	var spent format.Spent
	for m, err := range r.Source.messages(w.openFile) {
		if err != nil {
			break // the part read so far is used
		}
		at, _ := m.Time()
		f.add(m, at)
		if a, ok := m.(*format.Assistant); ok {
			spent = spent.Plus(prices.Estimate(format.ModelName(a.Provider, a.Model), at, a.Usage.Spent()))
		}
	}
	r.fill(&f)
	r.spend(spent)
}

// fillFromMetadata fills facts that are missing in the result from the metadata
// artifact. The file describes one run, so it must name its agent.
func (w *walker) fillFromMetadata(r *Run, s *search) {
	if !r.Usage.IsZero() && r.Duration != 0 && !r.Status.open() {
		return
	}
	path := s.artifact("", PathMetadata, "_meta.json")
	s.tried = nil // metadata is not a conversation; the paths show whether it is gone
	meta := w.object(path)
	if meta == nil || !sameAgent(r.Agent, meta.text("agent")) {
		return
	}
	recorded := plainRun(r.Index, meta)
	if recorded.UsageFrom != "" {
		recorded.UsageFrom = UsageFromMetadata
	}
	if r.Status == Background && !recorded.Status.open() {
		r.Status = recorded.Status
	}
	r.adopt(recorded)
}

// fillFromStatus fills the state of a background run, and the path of its
// session, from the file that its runner maintains while the directory exists.
func (w *walker) fillFromStatus(r *Run, p parent) {
	dir := cmp.Or(r.path(PathAsync), p.inv.AsyncDir)
	if dir == "" || !r.Status.open() && r.path(PathSession) != "" {
		return
	}
	folder, why := absolute(w.env, dir, p)
	if why != "" {
		return
	}
	status := w.object(filepath.Join(folder, "status.json"))
	if status == nil {
		return
	}
	recorded := plainRun(r.Index, status)
	steps := 0
	for i, step := range status.objects("steps") {
		steps++
		if i == r.Index {
			recorded = plainRun(i, step)
		}
	}
	if steps <= 1 && recorded.Status == Unknown {
		recorded.Status = statusOf(status)
	}
	if r.Status.open() && recorded.Status != Unknown {
		r.Status = recorded.Status
	}
	if recorded.UsageFrom != "" {
		recorded.UsageFrom = UsageFromMetadata
	}
	r.adopt(recorded)
}

// object reads a file that contains one JSON object, or returns nil.
func (w *walker) object(path string) object {
	if path == "" {
		return nil
	}
	text, err := read(path)
	if err != nil || !jsonl.Valid(text) {
		return nil
	}
	return decode(text)
}
