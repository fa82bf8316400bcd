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
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/sessiondir"
)

// An exporting writes a session to a file to share: it asks for the path, shows
// what is replaced, and writes after a confirmation. The session is opened
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
	return e.app.prepares("exporting", func(ctx context.Context) done {
		var suggested string
		err := e.use(ctx, func(s *pith.Session) (err error) {
			suggested, err = ops.ExportName(e.app.c.App, s)
			return err
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

// to exports to a file, after a confirmation of what is replaced.
func (e *exporting) to(name string) tea.Cmd {
	p := ops.ExportParams{OutputPath: sessiondir.ExpandPath(strings.Trim(strings.TrimSpace(name), `"'`), e.app.c.Cwd), LeafID: e.leaf}
	var ok bool
	if p.Format, ok = ops.FormatOf(p.OutputPath); !ok {
		return e.app.say(paint.Error, fmt.Sprintf("export to %s: use a name that ends in .html, .md or .jsonl", e.shown(p.OutputPath)))
	}
	return e.app.prepares("looking for secrets", func(ctx context.Context) done {
		return e.planned(ctx, p, func(plan *export.Plan, unread error) (done, error) {
			if len(plan.Redacted()) > 0 {
				return done{then: func() tea.Cmd { return e.agree(plan, unread, p) }}, nil
			}
			return e.written(ctx, plan, p.OutputPath)
		})
	})
}

func (e *exporting) shown(path string) string { return humanize.Path(e.app.c.Home, path) }

// planned plans the export and passes it to do.
func (e *exporting) planned(ctx context.Context, p ops.ExportParams, do func(plan *export.Plan, unread error) (done, error)) (d done) {
	err := e.use(ctx, func(s *pith.Session) error {
		plan, unread, err := ops.PlanExport(ctx, e.app.c.App, s, p)
		if err == nil {
			d, err = do(plan, unread)
		}
		return err
	})
	if err != nil {
		return done{err: err}
	}
	return d
}

// mostSuspects is the number of suspects that are shown.
const mostSuspects = 20

// agree shows what is replaced, suspects with the text around them, and asks for
// confirmation.
func (e *exporting) agree(plan *export.Plan, unread error, p ops.ExportParams) tea.Cmd {
	box := &dialog.Box{Keys: e.app.c.Keys, Title: "Export", Verb: "export", Wide: true}
	certain, suspects := 0, 0
	for _, c := range plan.Redacted() {
		if c.Kind == redact.Suspect {
			suspects += c.Places
			continue
		}
		certain += c.Places
		box.Below = append(box.Below, [2][]paint.Span{{{Text: "  " + c.Rule}}, {paint.Faint(humanize.Count(c.Secrets, "secret") + ", " + humanize.Count(c.Places, "match"))}})
	}
	shown := 0
	for _, at := range plan.Places() {
		if at.Kind != redact.Suspect {
			continue
		}
		if shown++; shown == 1 {
			box.Below = append(box.Below, [2][]paint.Span{{paint.Faint("Suspects look random:")}})
		}
		if shown <= mostSuspects {
			box.Below = append(box.Below, [2][]paint.Span{{paint.Faint("  " + at.Entry + "  "), {Text: at.Around}}})
		}
	}
	if shown > mostSuspects {
		box.Below = append(box.Below, [2][]paint.Span{{paint.Faint("  " + humanize.Count(shown-mostSuspects, "more suspect"))}})
	}
	what := strings.Join(nonempty(plural(certain, "secret"), plural(suspects, "suspect")), " and ")
	box.About = []string{"Replace " + what + " and write " + e.shown(p.OutputPath) + "?"}
	if unread != nil {
		box.About = append(box.About, unread.Error())
	}
	write := func() tea.Cmd {
		return e.app.work("exporting", func(ctx context.Context) done {
			return e.planned(ctx, p, func(plan *export.Plan, _ error) (done, error) { return e.written(ctx, plan, p.OutputPath) })
		})
	}
	box.Rows = []dialog.Row{{Text: "Yes", Keys: []string{"y"}, Do: write}}
	if suspects > 0 {
		box.Rows = append(box.Rows, dialog.Row{Text: "Yes, but keep the suspects", Keys: []string{"k"}, Do: func() tea.Cmd { p.KeepSuspects = true; return write() }})
	}
	box.Rows = append(box.Rows, dialog.Row{Text: "No", Keys: []string{"n"}, Do: func() tea.Cmd { return e.app.say(paint.Dim, "nothing written") }})
	e.app.ask(box)
	return nil
}

// written writes the file and returns the result.
func (e *exporting) written(ctx context.Context, plan *export.Plan, path string) (done, error) {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return done{}, fmt.Errorf("%s does not exist; create it first", e.shown(filepath.Dir(path)))
	}
	report, err := ops.WriteExport(ctx, plan, path, false)
	switch {
	case errors.Is(err, export.ErrExists):
		return done{}, fmt.Errorf("export to %s: the file already exists; choose another name", e.shown(path))
	case err != nil:
		return done{}, err
	}
	note := "exported to " + e.shown(path)
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
