package webui

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/digest"
	"github.com/pith-sessions/pith/internal/page"
)

// digestSpans are the spans of time that the page of the digest offers.
var digestSpans = []chosen{{"1 day", "1d"}, {"7 days", "7d"}, {"30 days", "30d"}}

type digestView struct {
	Spans    []chosen
	Span     string
	Summary  string
	Command  string // that prints the same as Markdown
	Projects []digestProject
}

type digestProject struct {
	Name, Summary string
	Sessions      []digestSession
	Files         []string
	MoreFiles     int
}

type digestSession struct {
	Link, Title, Summary, State string
	Used                        template.HTML // made by package page, which escapes
	Requests                    []entryLink
}

// digestPage summarizes the work of the last days by project.
func (s *Server) digestPage(w http.ResponseWriter, r *http.Request) error {
	span := cmp.Or(r.URL.Query().Get("since"), "7d")
	since, ok := catalog.ParseMoment(span, s.c.Now())
	if !ok {
		span = "7d"
		since, _ = catalog.ParseMoment(span, s.c.Now())
	}
	ledger, l, err := s.ledger(r.Context())
	if err != nil {
		return err
	}
	var infos []catalog.Info
	for i := range l.infos {
		if info := &l.infos[i]; !info.Internal && digest.Used(info, since, time.Time{}) {
			infos = append(infos, *info)
		}
	}
	s.digesting.Lock() // it may read many sessions
	d, err := digest.Make(r.Context(), digest.Options{
		Since: since, Sessions: infos, Ledger: ledger,
		Open: func(ctx context.Context, path string) (*pith.Session, error) {
			return s.archive.open(ctx, catalog.Info{Path: path})
		},
		Secrets: s.c.Secrets,
		Skipped: func(path string, err error) {
			if path == "" {
				s.noteOnce("%v", err)
				return
			}
			s.noteOnce("skipped %s: %v", s.shortenHome(path), err)
		},
	})
	s.digesting.Unlock()
	if err != nil {
		return err
	}
	return show(w, "digest", s.digestView(d, l, span))
}

func (s *Server) digestView(d *digest.Digest, l *listing, span string) digestView {
	out := digestView{Spans: digestSpans, Span: span, Command: s.c.Command("digest", "--since", span),
		Summary: page.Count(int64(d.Sessions), "session") + " in " + page.Count(int64(len(d.Projects)), "project") + ", " + digest.Spent(d.Usage)}
	for i := range d.Projects {
		p := &d.Projects[i]
		shown := digestProject{Name: cmp.Or(page.OneLine(s.shortenHome(string(p.Dir)), 200), "Unknown project"), Summary: page.Count(int64(len(p.Sessions)), "session") + ", " + digest.Spent(p.Usage)}
		for k := range p.Sessions {
			shown.Sessions = append(shown.Sessions, digestRow(&p.Sessions[k], l))
		}
		for _, file := range p.Files[:min(len(p.Files), digest.MostFiles)] {
			shown.Files = append(shown.Files, page.OneLine(s.shortenHome(string(file)), 200))
		}
		shown.MoreFiles = len(p.Files) - len(shown.Files)
		out.Projects = append(out.Projects, shown)
	}
	return out
}

func digestRow(x *digest.Session, l *listing) digestSession {
	row := digestSession{Link: "/s/" + url.PathEscape(l.keyOf(string(x.Path))), Title: page.OneLine(string(x.Title), mostTitle), Summary: digest.Spent(x.Usage), Used: template.HTML(page.Time(x.Modified.Time))}
	if x.Unfinished {
		row.State = digest.State(x.Status)
	}
	for _, r := range x.Requests {
		if len(x.Requests) > 1 || r.Text != x.Title {
			row.Requests = append(row.Requests, entryLink{Link: row.Link + "#e-" + url.PathEscape(string(r.EntryID)), Text: page.OneLine(string(r.Text), mostTitle)})
		}
	}
	return row
}
