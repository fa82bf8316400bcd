package webui

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/subagent"
)

// Limits: runs of one call, and entries of one run.
const mostRuns, mostSaid = 40, 120

// ran is the data of a subagent run.
type ran struct {
	Agent, Task, Status, Reason, Cost, Link, Note string
	Bad                                           bool
	Text                                          template.HTML // made by package page
}

// sessionRuns serves the subagent runs of a call, to be shown in place.
func (s *Server) sessionRuns(w http.ResponseWriter, r *http.Request, open *shown) error {
	report, err := open.runs(r.Context(), r.URL.Query().Get("at"), subagent.Options{Environment: s.c.App.Environment})
	if err != nil {
		return err
	}
	l, err := s.archive.kept(r.Context())
	if err != nil {
		return err
	}
	out := []ran{}
	for i := range report.Invocations {
		in := &report.Invocations[i]
		if page.CallKey(in.ToolCallID) != r.URL.Query().Get("call") {
			continue
		}
		for level, run := range subagent.Flat([]subagent.Invocation{*in}) {
			if len(out) == mostRuns {
				break
			}
			out = append(out, s.ran(r.Context(), level, run, open, l))
		}
	}
	return show(w, "runs", out)
}

// runs reads the runs on the active path or, if the entry at is not on it, on
// the newest branch through that entry.
func (s *shown) runs(ctx context.Context, at string, o subagent.Options) (*subagent.Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Leaf = cmp.Or(inspect.LeafThrough(s.doc.View, at), s.session.LeafID())
	return subagent.Read(ctx, s.session, o)
}

func (s *Server) ran(ctx context.Context, level int, run *subagent.Run, open *shown, l *listing) ran {
	out := ran{Agent: cmp.Or(page.OneLine(run.Agent, 60), "subagent"), Task: page.OneLine(run.Task, 200), Status: string(run.Status), Reason: page.OneLine(run.Reason, 300),
		Bad: run.Status.Bad(), Cost: amount.Cents(run.Usage), Note: page.OneLine(run.Note, 200)}
	out.Agent = strings.Repeat("↳ ", min(level, 8)) + out.Agent
	if key := l.keyOf(run.Source.Path); run.Source.IsSession() && key != "" {
		out.Link = "/s/" + url.PathEscape(key)
	}
	switch {
	case run.Source.Kind == "":
		out.Note = "Its conversation was not kept."
	case !s.mayShow(run.Source.Path, open):
		out.Note = "Its conversation is outside the session directories and is not shown here."
	default:
		out.Text, out.Note = open.conversationEnd(ctx, run.Source)
	}
	return out
}

// mayShow reports whether a file may be shown. Its path comes from a session
// and is untrusted, so the file must be below a root or next to the session.
func (s *Server) mayShow(path string, open *shown) bool {
	if path == "" || foreign.Find(path) != nil { // in the result itself, or a session of another agent
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	dirs := []string{filepath.Dir(open.info.Path)}
	for _, dir := range append(dirs, ops.Roots(s.c.App)...) {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			continue
		}
		if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// conversationEnd returns a conversation as HTML, of a long one its end.
func (s *shown) conversationEnd(ctx context.Context, from subagent.Source) (_ template.HTML, note string) {
	const failed = "Cannot read its conversation."
	run, err := from.Session(ctx, "run.jsonl", nil)
	if err != nil {
		return "", failed
	}
	defer run.Close() // only read
	v := run.View()
	path := activePath(v)
	left := max(0, len(path)-mostSaid)
	t, err := page.NewDocument(page.Source{View: v, Path: path, Wanted: page.All(v), Cwd: s.info.Cwd, Home: s.home}).Turn(ctx, path[left:])
	if err != nil {
		return "", failed
	}
	if left > 0 {
		note = page.Count(int64(left), "entry") + " before these are not shown."
	}
	t.Bare = true
	return template.HTML(t.HTML(nil, page.Choice{Most: 4000})), note
}
