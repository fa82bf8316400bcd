package webui

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/parallel"
)

// mostFindings is the maximum number of findings on a page.
const mostFindings = 500

type finding struct {
	Line                              int
	Severity, Entry, What, Means, Fix string
}

// checkup is the data of the page with a session's findings.
type checkup struct {
	Key, Title, Summary, Command string
	Findings                     []finding
	Fixable, More                int
}

// sessionDoctor serves the page with a session's findings, their meaning and
// their repair.
func (s *Server) sessionDoctor(w http.ResponseWriter, r *http.Request) error {
	key := r.PathValue("id")
	info, err := s.archive.find(r.Context(), key)
	if err != nil {
		return err
	}
	report, err := doctor.Check(r.Context(), info.Path, doctor.Options{Store: s.c.Engine.Store, Now: s.c.Now})
	if err != nil {
		return err
	}
	c := checkup{Key: key, Title: page.OneLine(info.Title(), 100), Summary: sums(report), Command: s.command(&info, "doctor", "--fix"), Fixable: report.Fixable()}
	for _, f := range report.Findings[:min(len(report.Findings), mostFindings)] {
		c.Findings = append(c.Findings, finding{f.Line, f.Severity.String(), f.EntryID, page.OneLine(f.What, 300), page.OneLine(f.Means, 300), page.OneLine(f.Fix, 300)})
	}
	c.More = len(report.Findings) - len(c.Findings)
	return show(w, "doctor", c)
}

// sums returns the number of findings by severity.
func sums(r *doctor.Report) string {
	var parts []string
	for _, severity := range []doctor.Severity{doctor.Error, doctor.Warning, doctor.Note} {
		if n := r.Count(severity); n > 0 {
			parts = append(parts, page.Count(int64(n), severity.String()))
		}
	}
	return strings.Join(parts, ", ")
}

// health caches the findings of sessions.
type health struct {
	stateCache[diagnosis]
	one sync.Mutex // held while all sessions are checked
}

// A diagnosis is the short form of a file's findings.
type diagnosis struct {
	worst       doctor.Severity // 0 if there are none
	summary     string
	what, means string
	fixable     bool
}

// diagnose checks a session, or returns the cached diagnosis.
func (s *Server) diagnose(ctx context.Context, info catalog.Info) (diagnosis, error) {
	at, err := stateOf(info.Path)
	if err != nil {
		return diagnosis{}, err
	}
	if d, ok := s.health.get(info.Path, at); ok {
		return d, nil
	}
	report, err := doctor.Check(ctx, info.Path, doctor.Options{Store: s.c.Engine.Store, Now: s.c.Now})
	if err != nil {
		return diagnosis{}, err
	}
	d := diagnosis{summary: sums(report), fixable: report.Fixable() > 0}
	for _, f := range report.Findings {
		if f.Severity > d.worst {
			d.worst, d.what, d.means = f.Severity, page.OneLine(f.What, 200), page.OneLine(f.Means, 300)
		}
	}
	s.health.put(info.Path, at, d)
	return d, nil
}

// sick is the row of a session with findings.
type sick struct{ Key, Title, Project, Severity, Summary, What, Means, Command string }

// doctorPage checks all sessions. It sends findings as it finds them, so that a
// person can read while the rest is checked. It ends when the client
// disconnects.
func (s *Server) doctorPage(w http.ResponseWriter, r *http.Request) error {
	if !s.health.one.TryLock() {
		return errBusy
	}
	defer s.health.one.Unlock()
	l, err := s.archive.look(r.Context())
	if err != nil {
		return err
	}
	if err := show(w, "doctor-begin", map[string]string{"Looking": "Checking " + page.Count(int64(len(l.infos)), "session")}); err != nil {
		return err
	}
	control := http.NewResponseController(w)
	type outcome struct {
		d   diagnosis
		err error
	}
	ill, unread, n := 0, 0, 0
	for got := range parallel.InOrder(r.Context(), len(l.infos), func(ctx context.Context, _ *struct{}, i int) (o outcome) {
		o.d, o.err = s.diagnose(ctx, l.infos[i])
		return o
	}) {
		info := &l.infos[n]
		row := sick{Key: l.keys[n], Title: page.OneLine(info.Title(), 80), Project: page.OneLine(s.shortenHome(info.Cwd), 100), Summary: got.d.summary, What: got.d.what, Means: got.d.means}
		n++
		switch {
		case errors.Is(got.err, fs.ErrNotExist), got.err == nil && got.d.worst <= doctor.Note:
			continue
		case got.err != nil:
			unread++
			row.Severity, row.Summary, row.What = "error", "unreadable", "the file cannot be read"
		default:
			ill++
			row.Severity = got.d.worst.String()
			if got.d.fixable {
				row.Command = s.command(info, "doctor", "--fix")
			}
		}
		_ = control.SetWriteDeadline(s.deadline())
		if err := show(w, "doctor-row", row); err != nil {
			return nil // the client disconnected
		}
		if control.Flush() != nil {
			return nil
		}
	}
	_ = control.SetWriteDeadline(s.deadline())
	summary := page.Count(int64(n), "session") + " checked: " + strconv.Itoa(ill) + " with findings"
	if ill == 0 {
		summary = page.Count(int64(n), "session") + " checked: no findings"
	}
	if unread > 0 {
		summary += ", " + page.Count(int64(unread), "file") + " unreadable"
	}
	_ = show(w, "doctor-end", summary+". Notes are on the pages of the sessions.")
	return nil
}
