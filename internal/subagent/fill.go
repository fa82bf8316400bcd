package subagent

import (
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// conversation takes what is not known of a run from messages that are not in a
// session.
func (w *walker) conversation(r *Run) {
	switch r.Source.Kind {
	case FromTranscript, FromEvents, FromInline:
	default:
		return
	}
	var (
		f           facts
		spent       format.Spent
		first, last time.Time
		final       *format.Assistant
	)
	for m, err := range r.Source.messages(w.openFile) {
		if err != nil {
			break // what was read so far is told
		}
		if at, ok := m.Time(); ok {
			if first.IsZero() {
				first = at
			}
			last = at
		}
		switch m := m.(type) {
		case *format.User:
			if f.task == "" {
				f.task = m.Content.PlainText()
			}
		case *format.Assistant:
			f.turns++
			f.model, final = m.Model, m
			spent = spent.Plus(m.Usage.Spent())
			f.calls += countCalls(m)
		}
	}
	f.took = last.Sub(first)
	r.fill(f)
	r.spend(spent)
	if final != nil {
		r.conclude(final.StopReason, final.ErrorMessage)
	}
}

func countCalls(m *format.Assistant) int {
	n := 0
	for _, b := range m.Content.Blocks {
		if _, ok := b.(*format.ToolCallBlock); ok {
			n++
		}
	}
	return n
}

// fillFromMetadata takes from the metadata among the artifacts what the result
// does not say. The file describes one run, so it must name its agent.
func (w *walker) fillFromMetadata(r *Run, s *search) {
	if !r.Usage.IsZero() && r.Duration != 0 && !r.Status.open() {
		return
	}
	path := s.artifact("", PathMetadata, "_meta.json")
	s.tried = nil // metadata is no conversation; whether it is gone is told with the paths
	meta := w.object(path)
	if meta == nil || !sameAgent(r.Agent, meta.text("agent")) {
		return
	}
	told := plainRun(r.Index, meta)
	if told.UsageFrom != "" {
		told.UsageFrom = UsageFromMetadata
	}
	if r.Status == Background && !told.Status.open() {
		r.Status = told.Status
	}
	r.adopt(told)
}

// fillFromStatus takes the state of a background run, and where its session is,
// from the file that its runner keeps while the folder is there.
func (w *walker) fillFromStatus(r *Run, p parent) {
	dir := r.path(PathAsync)
	if dir == "" && p.inv != nil {
		dir = p.inv.AsyncDir
	}
	if dir == "" || !r.Status.open() && r.path(PathSession) != "" {
		return
	}
	folder, why := w.files.absolute(dir, p)
	if why != "" {
		return
	}
	status := w.object(filepath.Join(folder, "status.json"))
	if status == nil {
		return
	}
	told := plainRun(r.Index, status)
	steps := 0
	for i, step := range status.objects("steps") {
		steps++
		if i == r.Index {
			told = plainRun(i, step)
		}
	}
	if steps <= 1 && told.Status == Unknown {
		told.Status = statusOf(status)
	}
	if r.Status.open() && told.Status != Unknown {
		r.Status = told.Status
	}
	if told.UsageFrom != "" {
		told.UsageFrom = UsageFromMetadata
	}
	r.adopt(told)
}

// object reads a file that holds one JSON object; nil when it does not.
func (w *walker) object(path string) object {
	if path == "" {
		return nil
	}
	text, err := w.files.read(path)
	if err != nil || !jsonl.Valid(text) {
		return nil
	}
	return decode(text)
}
