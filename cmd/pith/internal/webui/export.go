package webui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/redact"
)

// mostSecrets is the maximum number of secrets that a review lists.
const mostSecrets = 300

// review is the data of the page that shows the secrets of a session before it is
// exported.
type review struct {
	Key, Title     string
	Turns          string // "" for the whole session
	File, Download string
	Copy           bool // the export is short text
	Formats        []entryLink
	Format         string
	Counts         []redact.Count
	Places         []secretPlace
	More           int
}

// A secretPlace is where a secret will be replaced.
type secretPlace struct{ Rule, Entry string }

// plan reviews the export that a request names. The caller closes the session.
func (s *Server) plan(r *http.Request) (*export.Plan, *pith.Session, catalog.Info, error) {
	info, err := s.archive.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, nil, info, err
	}
	as, ok := export.ParseFormat(cmp.Or(r.URL.Query().Get("format"), export.HTML.String()))
	if !ok {
		return nil, nil, info, errNothing
	}
	session, err := s.archive.open(r.Context(), info)
	if err != nil {
		return nil, nil, info, err
	}
	plan, err := export.Review(r.Context(), session, export.Options{Format: as, Turns: r.URL.Query().Get("turns"), Leaf: r.URL.Query().Get("leaf"), Redact: s.redaction(info.Cwd)})
	if err != nil {
		_ = session.Close() // it was only read
		return nil, nil, info, err
	}
	return plan, session, info, nil
}

// redaction returns what an export replaces: the user's secrets, and those that rules
// describe.
func (s *Server) redaction(project string) redact.Options {
	from := s.c.Secrets
	from.Projects = append(from.Projects[:len(from.Projects):len(from.Projects)], project)
	known, _ := redact.Collect(from) // the rules still apply if a source cannot be read
	return redact.Options{Secrets: known}
}

// exportPage shows the secrets that an export replaces, with a button to download it.
func (s *Server) exportPage(w http.ResponseWriter, r *http.Request) error {
	plan, session, info, err := s.plan(r)
	if err != nil {
		return err
	}
	defer session.Close() // it was only read
	key := r.PathValue("id")
	base, part := "/s/"+url.PathEscape(key)+"/export", ""
	if plan.Turns != "" {
		part = "&turns=" + url.QueryEscape(plan.Turns)
	}
	if plan.Leaf != "" {
		part += "&leaf=" + url.QueryEscape(plan.Leaf)
	}
	formats := []entryLink{{Text: "HTML", Label: export.HTML.String()}, {Text: "Markdown", Label: export.Markdown.String()}, {Text: "comment", Label: export.Comment.String()}}
	if plan.Turns == "" {
		formats = append(formats, entryLink{Text: "JSONL", Label: export.JSONL.String()})
	}
	out := review{Key: key, Title: page.OneLine(cmp.Or(plan.Title(), "session "+info.ID), 100), File: page.OneLine(filepath.Base(plan.FileName()), 200), Format: plan.Format.String(),
		Turns: plan.Turns, Download: base + "/file?format=" + plan.Format.String() + part, Copy: plan.Format == export.Comment || plan.Format == export.Markdown && plan.Turns != "", Counts: plan.Redacted()}
	for _, f := range formats {
		f.Link = base + "?format=" + f.Label + part
		out.Formats = append(out.Formats, f)
	}
	places := plan.Places()
	for _, p := range places[:min(len(places), mostSecrets)] {
		out.Places = append(out.Places, secretPlace{page.OneLine(p.Rule, 60), p.Entry})
	}
	out.More = len(places) - len(out.Places)
	return show(w, "export", out)
}

// exportFile sends an export, redacted and checked.
func (s *Server) exportFile(w http.ResponseWriter, r *http.Request) error {
	plan, session, _, err := s.plan(r)
	if err != nil {
		return err
	}
	defer session.Close() // it was only read
	dir, err := os.MkdirTemp("", ".pith-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "file")
	if err := s.write(r.Context(), plan, name); err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() // only read
	_ = http.NewResponseController(w).SetWriteDeadline(s.deadline())
	w.Header().Set("Content-Type", "application/octet-stream")
	_, err = file.WriteTo(w)
	return err
}

// write writes one export at a time: each may take all processors and much memory.
func (s *Server) write(ctx context.Context, plan *export.Plan, name string) error {
	s.exporting.Lock()
	defer s.exporting.Unlock()
	_, err := plan.WriteFile(ctx, name, false)
	return err
}
