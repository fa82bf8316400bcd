package webui

import (
	"html/template"
	"net/http"

	"github.com/pith-sessions/pith/cmd/pith/internal/inbox"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// mostWaiting is the maximum number of sessions that the inbox lists.
const mostWaiting = 200

type waitingSession struct {
	Key, Title, Project, Status, Cost, Line string
	Used                                    template.HTML // made by package page, which escapes
	Resume, Archive                         string        // commands; "" if there are none
}

// inboxPage lists the sessions that wait for their user, the one used last first.
func (s *Server) inboxPage(w http.ResponseWriter, r *http.Request) error {
	l, err := s.archive.look(r.Context())
	if err != nil {
		return err
	}
	of := s.c.Marks()
	out := struct {
		Sessions []waitingSession
		More     int
	}{}
	for i := range l.infos {
		info := &l.infos[i]
		m := of(info.ID)
		if m.Archived || !inbox.Has(info, m, s.c.Now()) {
			continue
		}
		if len(out.Sessions) == mostWaiting {
			out.More++
			continue
		}
		row := waitingSession{Key: l.keys[i], Title: page.OneLine(info.Title(), mostTitle), Project: l.projects[i], Status: string(info.Status), Cost: page.Dollars(info.Spent.Cost),
			Line: s.lines.of(r.Context(), s.archive, info).line, Used: template.HTML(page.Time(info.Modified)), Archive: s.command(info, "archive")}
		if _, foreign := all.Find(info.Root); foreign {
			row.Resume = s.command(info, "handover", "--to", "pi")
		} else if printable(info.Path) {
			row.Resume = "pi --session " + shellWord(info.Path)
		}
		if m.Pinned {
			row.Status += ", pinned"
		}
		out.Sessions = append(out.Sessions, row)
	}
	return show(w, "inbox", out)
}
