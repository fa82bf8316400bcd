package webui

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/edits"
	"github.com/pith-sessions/pith/internal/page"
)

// blamedFile is what the page of a file shows.
type blamedFile struct {
	Name, Note string
	Runs       []blamedRun
}

// A blamedRun is lines that one edit wrote, with the turn next to them.
type blamedRun struct {
	Link, Request, Facts string // "" for lines of no session
	Time                 template.HTML
	Left                 bool
	Lines                []numbered
	Here                 bool // it holds the line that was asked for
}

type numbered struct {
	N    int
	Text string
}

// filePage shows a file with the turns next to its lines. Only files below the directory
// of a session are shown.
func (s *Server) filePage(w http.ResponseWriter, r *http.Request) error {
	path := filepath.Clean(r.URL.Query().Get("path"))
	line, _ := strconv.Atoi(r.URL.Query().Get("line")) // 0 for none
	list, err := s.archive.kept(r.Context())
	if err != nil {
		return err
	}
	if !inProject(path, list.infos) {
		return errNothing
	}
	o, done := s.editing(r.Context(), list.infos)
	defer done()
	report, err := blame.File(r.Context(), path, o)
	out := blamedFile{Name: page.OneLine(s.shortenHome(path), 200)}
	switch f := (*blame.FileError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return errNothing
	case errors.As(err, &f):
		out.Note = "This file " + f.Err.Error() + "."
		return show(w, "file", out)
	case err != nil:
		return err
	case report.Events == 0:
		out.Note = "No session changed this file."
	}
	last := -2
	for i, l := range report.Lines {
		if l.Edit != last {
			out.Runs = append(out.Runs, s.run(list, report, l.Edit))
			last = l.Edit
		}
		now := &out.Runs[len(out.Runs)-1]
		now.Lines = append(now.Lines, numbered{i + 1, l.Text})
		now.Here = now.Here || i+1 == line
	}
	return show(w, "file", out)
}

// run describes the edit of a run.
func (s *Server) run(list *listing, r *blame.Report, edit int) (out blamedRun) {
	if edit < 0 {
		return out
	}
	e := &r.Edits[edit]
	out.Request, out.Left = page.OneLine(e.Request, 120), e.Left
	_, model, _ := strings.Cut(e.Model, "/")
	out.Facts = fmt.Sprintf("turn %d, %s", e.Number, page.OneLine(model, 40))
	out.Time = template.HTML(page.Time(e.Time))
	if i, ok := list.byPath[e.Session.Path]; ok {
		out.Link = "/s/" + url.PathEscape(list.keys[i]) + "#e-" + url.PathEscape(e.EntryID)
	}
	return out
}

// inProject reports whether a path lies below the directory of a session.
func inProject(path string, infos []catalog.Info) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	for i := range infos {
		if dir := infos[i].Cwd; filepath.IsAbs(dir) {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) && rel != "." {
				return true
			}
		}
	}
	return false
}

// editing are the options of every look at the edits of sessions. done must be called.
func (s *Server) editing(ctx context.Context, infos []catalog.Info) (o blame.Options, done func()) {
	index := edits.Open(ctx, s.c.Catalog.Index.Dir())
	return blame.Options{Sessions: infos, Index: index, Home: s.c.Home}, func() { index.Close(ctx) }
}

// changedFiles is what the page of a session's files shows.
type changedFiles struct {
	Key, Title string
	At         string // the entry since which changes are shown; "" for the list
	Files      []changedFile
	Patch      []patchLine
	Omitted    []string
}

type changedFile struct {
	Name, Link string
	Turns      []changedTurn
}

// A changedTurn is a change of a file. Since leads to the changes after its turn began.
type changedTurn struct {
	entryLink
	Since string
}

// A patchLine is a line of a patch with a class for its color.
type patchLine struct{ Kind, Text string }

// filesPage shows the files that a session changed, and with the parameter since the
// changes after an entry as a patch.
func (s *Server) filesPage(w http.ResponseWriter, r *http.Request, open *shown) error {
	open.mu.Lock()
	defer open.mu.Unlock()
	infos := []catalog.Info{open.info}
	since := r.URL.Query().Get("since")
	if since != "" { // contents depend on all sessions
		list, err := s.archive.kept(r.Context())
		if err != nil {
			return err
		}
		others := slices.DeleteFunc(slices.Clone(list.infos), func(i catalog.Info) bool { return i.Path == open.info.Path })
		infos = append(infos, others...)
	}
	o, done := s.editing(r.Context(), infos)
	defer done()
	past, err := blame.OpenPast(r.Context(), open.session, 0, o)
	if err != nil {
		return err
	}
	out := changedFiles{Key: open.key, Title: page.OneLine(open.info.Title(), 100), At: page.OneLine(since, 60)}
	if since != "" {
		p, err := view.PatchOf(r.Context(), past, past.Files(), "", since)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(p.Patch)) {
			out.Patch = append(out.Patch, patchLine{map[byte]string{'+': "add", '-': "del", '@': "hunk", 'd': "hunk"}[line[0]], strings.TrimSuffix(line, "\n")})
		}
		for _, f := range p.Omitted {
			out.Omitted = append(out.Omitted, page.OneLine(string(f.File), 200))
		}
		return show(w, "files", out)
	}
	for _, f := range past.Files() {
		shown := changedFile{Name: page.OneLine(f.Name, 200)}
		if !f.Outside {
			shown.Link = "/file?path=" + url.QueryEscape(f.Path)
		}
		for _, c := range f.Changes {
			link := entryLink{Link: "/s/" + url.PathEscape(open.key) + "#e-" + url.PathEscape(c.EntryID), Text: page.OneLine(view.ChangeWord(c.Kind)+": "+c.Request, 120)}
			if c.Left {
				link.Label = "abandoned"
			}
			turn := changedTurn{entryLink: link}
			if c.TurnID != "" {
				turn.Since = "/s/" + url.PathEscape(open.key) + "/files?since=" + url.QueryEscape(c.TurnID)
			}
			shown.Turns = append(shown.Turns, turn)
		}
		out.Files = append(out.Files, shown)
	}
	return show(w, "files", out)
}
