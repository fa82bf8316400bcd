package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/sessiondir"
)

// An exporting writes a session to a file to share: it asks for the path, shows
// what is redacted, and writes after a confirmation. The session is opened
// again for each step, so that nothing is kept open while waiting for the user.
type exporting struct {
	app *App
	// leaf is the entry whose path is written; "" for all branches.
	leaf string
	// use opens the session temporarily.
	use func(ctx context.Context, do func(*pith.Session) error) error
}

// begin exports to a file, or asks for its name if it is empty.
func (e *exporting) begin(name string) tea.Cmd {
	if name != "" {
		return e.to(name)
	}
	return e.app.work("exporting", func(ctx context.Context) (d done) {
		var suggested string
		err := e.use(ctx, func(s *pith.Session) error {
			r, err := redact.New(e.secrets(s))
			if err != nil {
				return err
			}
			title, _ := r.Text(s.Name())
			suggested = export.FileName(title, s.ID(), export.HTML)
			return nil
		})
		if err != nil {
			return done{err: err}
		}
		return done{then: func() tea.Cmd {
			line := input.New(e.app.c.Keys, suggested)
			e.app.ask(&dialog.Box{Keys: e.app.c.Keys, Title: "Export to", About: []string{"The file name decides the format: .html, .md or .jsonl"}, Verb: "export", Type: &line, Typed: e.to})
			return nil
		}}
	})
}

// secrets returns the secrets to redact: those of the user, and those that
// rules describe.
func (e *exporting) secrets(s *pith.Session) redact.Options {
	from := e.app.c.Secrets
	from.Projects = append(from.Projects[:len(from.Projects):len(from.Projects)], s.Cwd())
	known, _ := redact.Collect(from) // unreadable sources are skipped; the rules still apply
	return redact.Options{Secrets: known}
}

func (e *exporting) review(ctx context.Context, s *pith.Session, as export.Format) (*export.Plan, error) {
	return export.Review(ctx, s, export.Options{Format: as, Leaf: e.leaf, Redact: e.secrets(s)})
}

// to exports to a file, after a confirmation of what is redacted.
func (e *exporting) to(name string) tea.Cmd {
	path := sessiondir.ExpandPath(strings.Trim(strings.TrimSpace(name), `"'`), e.app.c.Cwd)
	as, ok := export.FormatOf(path)
	if !ok {
		return e.app.say(paint.Error, fmt.Sprintf("export to %s: use a name that ends in .html, .md or .jsonl", humanize.Path(e.app.c.Home, path)))
	}
	return e.app.work("looking for secrets", func(ctx context.Context) done {
		return e.reviewed(ctx, as, func(plan *export.Plan) (done, error) {
			if found := plan.Redacted(); len(found) > 0 {
				return done{then: func() tea.Cmd { return e.agree(found, path, as) }}, nil
			}
			return e.written(ctx, plan, path)
		})
	})
}

// reviewed reviews the export and passes it to do.
func (e *exporting) reviewed(ctx context.Context, as export.Format, do func(*export.Plan) (done, error)) (d done) {
	err := e.use(ctx, func(s *pith.Session) error {
		plan, err := e.review(ctx, s, as)
		if err == nil {
			d, err = do(plan)
		}
		return err
	})
	if err != nil {
		return done{err: err}
	}
	return d
}

// agree shows what is redacted, and asks for confirmation.
func (e *exporting) agree(found []redact.Count, path string, as export.Format) tea.Cmd {
	box := &dialog.Box{Keys: e.app.c.Keys, Title: "Export", About: []string{"Replace these and write " + humanize.Path(e.app.c.Home, path) + "?"}, Verb: "export"}
	for _, c := range found {
		box.Below = append(box.Below, [2][]paint.Span{{{Text: "  " + c.Rule}}, {{Tone: paint.Dim, Text: humanize.Count(c.Secrets, "secret") + ", " + humanize.Count(c.Places, "match")}}})
	}
	box.Rows = []dialog.Row{
		{Text: "Yes", Keys: []string{"y"}, Do: func() tea.Cmd {
			return e.app.work("exporting", func(ctx context.Context) done {
				return e.reviewed(ctx, as, func(plan *export.Plan) (done, error) { return e.written(ctx, plan, path) })
			})
		}},
		{Text: "No", Keys: []string{"n"}, Do: func() tea.Cmd { return e.app.say(paint.Dim, "nothing written") }},
	}
	e.app.ask(box)
	return nil
}

// written writes the file and returns the result.
func (e *exporting) written(ctx context.Context, plan *export.Plan, path string) (done, error) {
	shown := humanize.Path(e.app.c.Home, path)
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return done{}, fmt.Errorf("%s does not exist; create it first", humanize.Path(e.app.c.Home, filepath.Dir(path)))
	}
	report, err := plan.WriteFile(ctx, path, false)
	switch {
	case errors.Is(err, export.ErrExists):
		return done{}, fmt.Errorf("export to %s: the file already exists; choose another name", shown)
	case err != nil:
		return done{}, err
	}
	note := "exported to " + shown
	places := 0
	for _, c := range plan.Redacted() {
		places += c.Places
	}
	if places > 0 {
		note += "; " + humanize.Count(places, "secret") + " replaced"
	}
	if report.Pictures > 0 {
		note += "; " + humanize.Count(report.Pictures, "image") + " not checked for secrets"
	}
	return done{note: note}, nil
}
