// Package digest summarizes the work of some days: for each project the
// requests, the changed files, the cost, and the sessions that are unfinished.
//
// It needs no model. Its texts are redacted, but not escaped: front ends escape
// what they show.
package digest

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/redact"
)

// A Digest contains the sessions of a span of time, by project.
type Digest struct {
	Since    view.Time `json:"since"`
	Until    view.Time `json:"until"`
	Sessions int       `json:"sessions"`
	// Usage is that of the span, here and below.
	Usage    format.Spent `json:"usage"`
	Projects []Project    `json:"projects"` // most recently used first
}

// A Project contains the sessions of one project.
type Project struct {
	Dir      view.Text    `json:"dir"` // "" if the sessions name none
	Usage    format.Spent `json:"usage"`
	Sessions []Session    `json:"sessions"` // most recently used first
	Files    []view.Text  `json:"files"`    // changed ones, relative to Dir if below it
}

// A Session is a session that was used in the span.
type Session struct {
	ID     view.Text      `json:"id"`
	Path   view.Text      `json:"path"`
	Title  view.Text      `json:"title"`
	Source string         `json:"source"`
	Status catalog.Status `json:"status"`
	// Unfinished means that a message has no response yet, or that the last
	// response was interrupted or failed.
	Unfinished bool         `json:"unfinished"`
	Modified   view.Time    `json:"modified"`
	Usage      format.Spent `json:"usage"`
	Requests   []Request    `json:"requests"`

	info  *catalog.Info
	files []string
}

// State states why a session is unfinished.
func State(s catalog.Status) string {
	switch s {
	case catalog.StatusPending:
		return "no response yet"
	case catalog.StatusError:
		return "failed"
	}
	return string(s)
}

// MostFiles is the number of files of a project that front ends list.
const MostFiles = 20

// Spent returns the cost, or the tokens if no cost was recorded.
func Spent(s format.Spent) string {
	if s.Cost == 0 && s.Tokens > 0 {
		return humanize.Short(s.Tokens) + " tokens"
	}
	return strings.TrimSpace(humanize.Dollars(s.Cost.Micros()))
}

// A Request is a user message in the span.
type Request struct {
	Turn    int       `json:"turn"`
	EntryID view.Text `json:"entryId"`
	Time    view.Time `json:"time"`
	Text    view.Text `json:"text"` // its beginning, on one line
}

// Options select what Make reads.
type Options struct {
	Since, Until time.Time // Until is exclusive; zero means no limit
	Sessions     []catalog.Info
	Ledger       *cost.Ledger // of all sessions, so that copies count once
	Open         func(ctx context.Context, path string) (*pith.Session, error)
	// Secrets are the sources of secrets to redact. Make adds the projects of
	// the sessions.
	Secrets redact.Sources
	// Skipped is called for a session that cannot be read, and with an empty
	// path for sources of secrets that cannot be.
	Skipped func(path string, err error)

	redactor *redact.Redactor
}

// collectSecrets makes the redactor of the secrets in the projects of sessions.
func (o *Options) collectSecrets(sessions []catalog.Info) error {
	from := o.Secrets
	from.Projects = slices.Clone(from.Projects)
	for i := range sessions {
		if cwd := sessions[i].Cwd; cwd != "" && !slices.Contains(from.Projects, cwd) {
			from.Projects = append(from.Projects, cwd)
		}
	}
	secrets, err := redact.Collect(from)
	if err != nil {
		o.Skipped("", err) // the rules still apply
	}
	o.redactor, err = redact.New(redact.Options{Secrets: secrets})
	return err
}

// Make reads the sessions that were used in the span. Of other branches than
// the current one it counts the cost only. A request that a fork copied is
// listed once, where it was made. The error is that of ctx.
func Make(ctx context.Context, o Options) (*Digest, error) {
	d := &Digest{Since: view.Time{Time: o.Since}, Until: view.Time{Time: o.Until}, Projects: []Project{}}
	used := slices.DeleteFunc(slices.Clone(o.Sessions), func(i catalog.Info) bool { return !Used(&i, o.Since, o.Until) })
	slices.SortStableFunc(used, func(a, b catalog.Info) int { return a.Created.Compare(b.Created) })
	if err := o.collectSecrets(used); err != nil {
		return nil, err
	}
	spent := o.spent()
	var sessions []*Session
	seen := map[Request]bool{}
	err := parallel.Make(ctx, len(used), func() func(int) (*Session, error) {
		return func(i int) (*Session, error) { return o.read(ctx, &used[i]), ctx.Err() }
	}, func(_ int, s *Session) bool {
		if s == nil {
			return true
		}
		s.Requests = slices.DeleteFunc(s.Requests, func(r Request) bool {
			key := Request{EntryID: r.EntryID, Time: r.Time}
			copied := seen[key]
			seen[key] = true
			return copied
		})
		s.Usage = spent[s.info.Path]
		if len(s.Requests) > 0 || !s.Usage.IsZero() {
			sessions = append(sessions, s)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	d.group(sessions)
	return d, nil
}

// Used reports whether a session may have been used in a span.
func Used(i *catalog.Info, since, until time.Time) bool {
	return !i.Modified.Before(since) && (until.IsZero() || i.Created.Before(until))
}

// spent returns the usage in the span by session.
func (o *Options) spent() map[string]format.Spent {
	out := map[string]format.Spent{}
	if o.Ledger == nil {
		return out
	}
	in := o.Ledger.Between(o.Since, o.Until)
	for i := range in.Responses {
		path := in.Sessions[in.Responses[i].Session].Path
		out[path] = out[path].Plus(in.Responses[i].Spent)
	}
	return out
}

// Most of a text that is read and shown, in characters.
const (
	mostRead  = 4000
	mostShown = 160
)

// read reads the turns of a session in the span, or returns nil if it cannot.
func (o *Options) read(ctx context.Context, info *catalog.Info) *Session {
	s, err := o.Open(ctx, info.Path)
	if err != nil {
		o.Skipped(info.Path, err)
		return nil
	}
	defer s.Close() // nothing was written
	out := &Session{
		ID: view.Text(info.ID), Path: view.Text(info.Path), Title: o.short(info.Title()), Source: info.Root, Modified: view.Time{Time: info.Modified},
		Status: info.Status, Unfinished: info.Status.Unfinished(),
		Requests: []Request{}, info: info,
	}
	turns, err := inspect.Open(s, inspect.Scope{})
	if err == nil {
		err = o.readTurns(ctx, out, turns)
	}
	if err != nil && ctx.Err() == nil {
		o.Skipped(info.Path, err)
	}
	return out
}

func (o *Options) readTurns(ctx context.Context, out *Session, turns *inspect.Reading) error {
	chosen, err := turns.Choose(ctx, inspect.Choice{Since: o.Since, Until: o.Until})
	if err != nil {
		return err
	}
	for _, i := range chosen.Indexes {
		x, err := turns.Turn(i, inspect.Detail{MaxContent: mostRead, Brief: true})
		if err != nil {
			return err
		}
		out.files = append(out.files, x.Modified()...)
		at := x.Time.Time
		if at.Before(o.Since) || !o.Until.IsZero() && !at.Before(o.Until) {
			continue // asked before, and answered in the span
		}
		if text := o.short(request(x)); text != "" {
			out.Requests = append(out.Requests, Request{x.Number, view.Text(x.EntryID), view.Time{Time: at}, text})
		}
	}
	return nil
}

// request returns the text of the user message of a turn.
func request(x *inspect.Turn) string {
	for i := range x.Items {
		if it := &x.Items[i]; it.Kind == inspect.User && it.Text != "" {
			return string(it.Text)
		}
	}
	return string(x.Title())
}

// short redacts a text and cuts it to one line.
func (o *Options) short(text string) view.Text {
	text, _ = o.redactor.Text(text)
	line := strings.Join(strings.Fields(text), " ")
	return view.Text(inspect.Text(line).Short(mostShown))
}

// group fills in the projects.
func (d *Digest) group(sessions []*Session) {
	infos := make([]catalog.Info, len(sessions))
	byPath := map[string]*Session{}
	for i, s := range sessions {
		infos[i], byPath[s.info.Path] = *s.info, s
	}
	slices.SortStableFunc(infos, func(a, b catalog.Info) int { return b.Modified.Compare(a.Modified) })
	for _, g := range project.Group(infos, project.Options{}) {
		p := Project{Dir: view.Text(g.Dir), Files: []view.Text{}, Sessions: make([]Session, 0, len(g.Sessions))}
		for _, i := range g.Sessions {
			s := byPath[infos[i].Path]
			p.Usage = p.Usage.Plus(s.Usage)
			for _, name := range s.files {
				if file := view.Text(below(g.Dir, cmp.Or(s.info.Cwd, g.Dir), name)); !slices.Contains(p.Files, file) {
					p.Files = append(p.Files, file)
				}
			}
			p.Sessions = append(p.Sessions, *s)
		}
		slices.Sort(p.Files)
		d.Sessions += len(p.Sessions)
		d.Usage = d.Usage.Plus(p.Usage)
		d.Projects = append(d.Projects, p)
	}
}

// below returns the path of a file relative to the project if it is in there.
func below(dir, cwd, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	if rel, err := filepath.Rel(dir, name); dir != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}
