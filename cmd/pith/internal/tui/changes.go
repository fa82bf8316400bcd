package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/edits"
)

// changes shows the patch that brings the session's files back to their state at an
// entry. Nothing in the project is changed; w saves the patch.
func (c *commands) changes(id string) tea.Cmd {
	s := c.chat.open.Current()
	return c.work("reading file changes", func(ctx context.Context) done {
		past, _, end, err := c.past(ctx, s)
		if err != nil {
			return done{err: err}
		}
		defer end()
		p, err := view.PatchOf(ctx, past, past.Files(), "", id)
		if err != nil {
			return done{err: err}
		}
		return done{then: func() tea.Cmd { return c.showPatch(id, &p) }}
	})
}

// past reads the file changes of a session. end must be called.
func (c *commands) past(ctx context.Context, s *pith.Session) (past *blame.Past, o blame.Options, end func(), err error) {
	where := c.c.Catalog
	where.IncludeInternal = true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, where))
	if err != nil {
		return nil, o, nil, err
	}
	at := slices.IndexFunc(infos, func(i catalog.Info) bool { return i.Path == s.File() })
	if at < 0 {
		at = len(infos)
		infos = append(infos, catalog.Info{Path: s.File(), ID: s.ID(), Cwd: s.Cwd()})
	}
	index := edits.Open(ctx, where.Index.Dir())
	end = func() { index.Close(ctx) }
	o = blame.Options{Sessions: infos, Index: index, Home: c.c.Home}
	past, err = blame.OpenPast(ctx, s, at, o)
	if err != nil {
		end()
	}
	return past, o, end, err
}

func (c *commands) showPatch(id string, p *view.Patch) tea.Cmd {
	sheet := &dialog.Sheet{Title: "File changes since " + id}
	for _, o := range p.Omitted {
		sheet.Lines = append(sheet.Lines, paint.Span{Tone: paint.Warning, Text: "left out: " + string(o.Reason)})
	}
	for line := range strings.Lines(string(p.Patch)) {
		sheet.Lines = append(sheet.Lines, paint.Span{Tone: patchTone(line), Text: strings.TrimSuffix(line, "\n")})
	}
	if p.Patch == "" {
		if len(p.Omitted) == 0 {
			return c.say(paint.Muted, "no file changed since then")
		}
	} else {
		name := filepath.Join(c.c.Cwd, "back-to-"+fileWord(id)+".patch")
		sheet.Save = func() tea.Cmd {
			c.askText(&dialog.Prompt{Title: "Save patch to", About: "apply it with git apply", Input: dialog.NewInput(name)}, func(name string) tea.Cmd {
				return c.savePatch(name, string(p.Patch))
			})
			return nil
		}
	}
	c.tell(sheet)
	return nil
}

// savePatch writes a patch to a file that does not exist yet.
func (c *commands) savePatch(name, patch string) tea.Cmd {
	if name = strings.TrimSpace(name); !filepath.IsAbs(name) {
		name = filepath.Join(c.c.Cwd, name)
	}
	return c.work("saving the patch", func(context.Context) done {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(patch)
			if closed := f.Close(); err == nil {
				err = closed
			}
		}
		if err != nil {
			return done{err: err}
		}
		return done{note: fmt.Sprintf("saved %s", humanize.Path(c.c.Home, name))}
	})
}

// fileWord is an entry ID as part of a file name.
func fileWord(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

func patchTone(line string) paint.Tone {
	switch line[0] {
	case '+':
		return paint.Added
	case '-':
		return paint.Removed
	case '@', 'd':
		return paint.Accent
	}
	return paint.Plain
}
