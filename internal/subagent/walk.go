package subagent

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/sessiondir"
)

// A walker follows runs to their files.
type walker struct {
	ended    func() bool // the result is not needed any more
	openFile opener
	env      sessiondir.Environment
	depth    int
	report   *Report
	seen     []fs.FileInfo // session files that were already opened
}

// know records the file of a session.
func (w *walker) know(s *pith.Session) {
	if info, err := os.Stat(s.File()); err == nil {
		w.seen = append(w.seen, info)
	}
}

// isKnown reports whether a file was already opened, under any name.
func (w *walker) isKnown(info fs.FileInfo) bool {
	return slices.ContainsFunc(w.seen, func(k fs.FileInfo) bool { return os.SameFile(k, info) })
}

// invocations follows the runs of a session and returns their total spending.
// chain are the sessions from the first one down to this one.
func (w *walker) invocations(list []Invocation, s *pith.Session, chain []*pith.Session, level int) format.Spent {
	var sum format.Spent
	for i := range list {
		inv := &list[i]
		var all format.Spent
		for j := range inv.Runs {
			if w.ended() {
				return sum
			}
			w.run(&inv.Runs[j], parent{s.File(), s.Cwd(), inv}, chain, level)
			all = all.Plus(inv.Runs[j].Total)
		}
		if inv.Status.open() && len(inv.Runs) > 0 {
			inv.Status = worst(inv.Runs) // a file may show how it ended
		}
		if all.IsZero() {
			inv.Unassigned = inv.Reported
		}
		sum = sum.Plus(all).Plus(inv.Unassigned)
	}
	return sum
}

// run locates the conversation of a run and fills missing facts from it.
func (w *walker) run(r *Run, p parent, chain []*pith.Session, level int) {
	w.report.Runs++
	w.markPaths(r, p)
	search := &search{env: w.env, parent: p, run: r}
	w.fillFromMetadata(r, search)
	w.fillFromStatus(r, p)
	taken := &child{}
	search.session = func(kind SourceKind, path string) string {
		if why := w.open(taken, kind, path, r, chain); why != "" || kind != fromRoot || search.names(taken.session.Name()) {
			return why
		}
		_ = taken.session.Close() // only read
		return anothers
	}
	r.Source = search.find()
	r.Tried = search.tried
	if r.Source.IsSession() {
		w.session(r, taken, chain, level)
	} else {
		w.conversation(r)
	}
	r.Total = r.Usage
	for i := range r.Calls {
		r.Total = r.Total.Plus(r.Calls[i].Unassigned)
		for j := range r.Calls[i].Runs {
			r.Total = r.Total.Plus(r.Calls[i].Runs[j].Total)
		}
	}
	w.nested(r, chain, level)
	if r.Bad = r.Status.Bad(); r.Bad {
		w.report.Bad++
	}
	if r.Source.Kind == "" {
		w.report.Gone++
	}
}

// nested follows the runs in the result itself, without those in the child's
// own session.
func (w *walker) nested(r *Run, chain []*pith.Session, level int) {
	reported := map[string]bool{}
	for i := range r.Calls {
		for _, id := range []string{r.Calls[i].RunID, r.Calls[i].AsyncID} {
			reported["run "+id] = id != ""
		}
		for j := range r.Calls[i].Runs {
			run := &r.Calls[i].Runs[j]
			reported["run "+run.RunID] = run.RunID != ""
			reported["session "+run.path(PathSession)] = run.path(PathSession) != ""
		}
	}
	var rest []Run
	for i := range r.Children {
		c := &r.Children[i]
		if reported["run "+c.RunID] || reported["session "+c.path(PathSession)] {
			continue
		}
		place := parent{inv: &Invocation{}}
		if r.Session != nil {
			place.file, place.cwd = r.Session.File, r.Session.Cwd
		}
		w.run(c, place, chain, level+1)
		r.Total = r.Total.Plus(c.Total)
		rest = append(rest, *c)
	}
	r.Children = rest
}

// markPaths marks the named files that are gone.
func (w *walker) markPaths(r *Run, p parent) {
	for i := range r.Paths {
		path, why := absolute(w.env, r.Paths[i].Path, p)
		if why == "" {
			if _, err := foreign.Stat(path); err != nil {
				why = absence(err)
			}
		}
		r.Paths[i].Gone = why != ""
	}
}

// A child is a session that was opened for a run.
type child struct {
	session *pith.Session
	found   *finder
	forked  bool
	again   bool // its file was followed before
}

// open uses a file as the session of a run, or returns why it cannot.
func (w *walker) open(c *child, kind SourceKind, path string, r *Run, chain []*pith.Session) string {
	info, err := foreign.Stat(path)
	if err != nil {
		return absence(err)
	}
	if why := unfit(info, mostSession); why != "" && foreign.Find(path) == nil {
		return why
	}
	c.again = w.isKnown(info)
	if c.again && kind != FromSession {
		return anothers
	}
	if len(w.seen) >= mostFiles {
		w.report.Limited = true
		return "not opened: too many sessions"
	}
	s, err := w.openFile(path)
	if err != nil {
		return "not a session"
	}
	if why := w.accept(c, s, kind, r, chain); why != "" {
		_ = s.Close() // only read
		return why
	}
	c.session = s
	return ""
}

// accept reads a session that was opened for a run.
func (w *walker) accept(c *child, s *pith.Session, kind SourceKind, r *Run, chain []*pith.Session) string {
	if slices.ContainsFunc(chain, func(above *pith.Session) bool { return above.ID() == s.ID() }) {
		return "the session that this run belongs to"
	}
	v := s.View()
	lines := v.Reader().Lines()
	if c.forked = s.Header().Parent() != ""; c.forked {
		var own []int
		for pos := range v.Len() {
			if !isCopied(v.At(pos).ID, chain) {
				own = append(own, pos)
			}
		}
		lines = v.Reader().LinesAt(own)
	}
	found, err := scan(lines)
	if err != nil {
		return "cannot be read"
	}
	c.forked = c.forked && found.entries < v.Len()
	if kind == FromForks && !sameTask(found.task, r.Task) {
		return anothers
	}
	c.found = found
	return ""
}

// isCopied reports whether an entry of a fork belongs to an ancestor.
func isCopied(id string, chain []*pith.Session) bool {
	return slices.ContainsFunc(chain, func(s *pith.Session) bool { _, err := s.View().Find(id); return err == nil })
}

// sameTask reports whether a child's first message is a task. Producers put a
// word before it and may put instructions after it.
func sameTask(opening, task string) bool {
	opening, task = strings.TrimSpace(withoutPrefix(opening)), strings.TrimSpace(task)
	return task != "" && strings.HasPrefix(opening, task)
}

func withoutPrefix(opening string) string { return strings.TrimPrefix(opening, "Task: ") }

// session fills missing facts of a run from the child's session, and follows
// the runs in it.
func (w *walker) session(r *Run, c *child, chain []*pith.Session, level int) {
	s, f := c.session, c.found
	defer s.Close()
	r.Session = &SessionFacts{ID: s.ID(), File: s.File(), Name: s.Name(), Cwd: s.Cwd(), Entries: s.View().Len(), Forked: c.forked}
	r.fill(&f.facts)
	if c.again {
		r.Note = "its session is that of another run, and is followed there"
		return
	}
	w.know(s)
	r.spend(f.own)
	calls := f.finish()
	if len(calls) == 0 {
		return
	}
	if level+1 > w.depth {
		w.report.Limited = true
		r.Unfollowed, r.Note = len(calls), "deeper runs are not followed"
		return
	}
	r.Calls = calls
	w.invocations(r.Calls, s, append(chain[:len(chain):len(chain)], s), level+1)
}

// facts are the facts of a conversation about its run.
type facts struct {
	task          string // the first user message
	model         string // of the last response
	turns, calls  int
	first, last   time.Time
	stop, failure string // of the last response
}

// add adds a message and its time, which may be zero.
func (f *facts) add(m format.Message, at time.Time) {
	if !at.IsZero() {
		f.first, f.last = cmp.Or(f.first, at), at
	}
	switch m := m.(type) {
	case *format.User:
		if f.task == "" {
			f.task = m.Content.PlainText()
		}
	case *format.Assistant:
		f.turns++
		f.model, f.stop, f.failure = m.Model, m.StopReason, m.ErrorMessage
		for _, b := range m.Content.Blocks {
			if _, ok := b.(*format.ToolCallBlock); ok {
				f.calls++
			}
		}
	}
}

// fill fills missing facts of a run from its conversation.
func (r *Run) fill(f *facts) {
	r.Model = cmp.Or(r.Model, f.model)
	r.Turns, r.ToolCalls = cmp.Or(r.Turns, f.turns), cmp.Or(r.ToolCalls, f.calls)
	if took := f.last.Sub(f.first); r.Duration == 0 && took > 0 && took < longest {
		r.Duration = took
	}
	if task := withoutPrefix(f.task); tellsTask(task) && (r.TaskFrom == "" || r.TaskFrom == TaskFromCall && isTemplate(r.Task)) {
		r.Task, r.TaskFrom = task, TaskFromChild
	}
	if r.Status != Unknown && r.Status != Background {
		return
	}
	switch f.stop {
	case "stop":
		r.Status = OK
	case "error":
		r.Status, r.Reason = Failed, cmp.Or(r.Reason, f.failure)
	case "aborted":
		r.Status = Stopped
	}
}

// spend takes the usage from the child's own files if the result has none.
func (r *Run) spend(s format.Spent) {
	if r.Usage.IsZero() && !s.IsZero() {
		r.Usage, r.UsageFrom = s, UsageFromChild
	}
}
