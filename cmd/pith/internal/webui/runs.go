package webui

import (
	"bytes"
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/subagent"
)

// Limits: runs of one call, and messages of one run.
const mostRuns, mostSaid = 40, 120

// ran is the data of a subagent run.
type ran struct {
	Agent, Task, Status, Reason, Cost, Link, Note string
	Bad                                           bool
	Text                                          template.HTML // made by package page
}

// sessionRuns serves the subagent runs of a call, to be shown in place.
func (s *Server) sessionRuns(w http.ResponseWriter, r *http.Request, open *shown) error {
	report, err := open.runs(r.Context(), r.URL.Query().Get("at"), subagent.Options{Environment: s.environment()})
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
	o.Leaf = s.session.LeafID()
	if path, err := s.doc.View.PathIDs(o.Leaf); at != "" && (err != nil || !slices.Contains(path, at)) {
		o.Leaf = newest(s.doc.View, at)
	}
	return subagent.Read(ctx, s.session, o)
}

// newest returns the end of the newest branch through an entry.
func newest(v *pith.View, id string) string {
	for range v.Len() {
		kids, err := v.Children(id)
		if err != nil || len(kids) == 0 {
			break
		}
		id = v.At(kids[len(kids)-1]).ID
	}
	return id
}

func (s *Server) ran(ctx context.Context, level int, run *subagent.Run, open *shown, l *listing) ran {
	out := ran{Agent: strings.Repeat("↳ ", min(level, 8)) + page.OneLine(run.Agent, 60), Task: page.OneLine(run.Task, 200), Status: string(run.Status), Reason: page.OneLine(run.Reason, 300),
		Bad: run.Status.Bad(), Cost: amount.Cost(run.Usage), Note: page.OneLine(run.Note, 200)}
	out.Agent = cmp.Or(out.Agent, "subagent")
	if key := l.keyOf(run.Source.Path); run.Source.IsSession() && key != "" {
		out.Link = "/s/" + url.PathEscape(key)
	}
	switch {
	case run.Source.Kind == "":
		out.Note = "Its conversation was not kept."
	case !s.mayShow(run.Source.Path, open):
		out.Note = "Its conversation is outside the session directories and is not shown here."
	default:
		out.Text, out.Note = conversationEnd(ctx, run.Source)
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
	for _, root := range catalog.Roots(s.c.Catalog, "") {
		dirs = append(dirs, root.Dir)
	}
	for _, dir := range dirs {
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
func conversationEnd(ctx context.Context, from subagent.Source) (template.HTML, string) {
	var messages [][]byte
	left, note := 0, ""
	choice := page.Choice{Most: 4000}
	for m, err := range from.Messages(ctx) {
		if err != nil {
			note = "Cannot read the rest of its conversation."
			break
		}
		// Without a number, since the page's script has no entry for it.
		html := choice.Entry(nil, &format.MessageEntry{Message: m}, page.Mark{Index: -1})
		if messages = append(messages, bytes.Replace(html, []byte(` id="e-" data-i="-1"`), nil, 1)); len(messages) > mostSaid {
			messages = messages[1:]
			left++
		}
	}
	if left > 0 {
		note = page.Count(int64(left), "message") + " before these are not shown."
	}
	return template.HTML(bytes.Join(messages, nil)), note
}
