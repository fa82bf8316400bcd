package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
)

type blameParams struct {
	Path string `json:"path" need:"value" about:"a file path, absolute or relative to the project"`
	Line int    `json:"line" least:"1" about:"only this line"`
	rest
}

func (s *server) blame(ctx context.Context, c *call, p *blameParams) error {
	offset, err := p.offset()
	if err != nil {
		return err
	}
	return s.among(ctx, c, func(l *past.Library) error {
		b, err := s.past.Blame(ctx, l, p.Path)
		if err != nil {
			return err
		}
		if p.Line > 0 {
			b.Runs = slices.DeleteFunc(b.Runs, func(r past.Run) bool { return p.Line < r.First || p.Line > r.Last })
		}
		if len(b.Runs) == 0 {
			return past.Usagef("the file has %s", humanize.Count(len(b.Lines), "line"))
		}
		runs := b.Runs[min(offset, len(b.Runs)):]
		c.list(offset, len(runs), false, func(i int, room int64) string { return s.run(l, &runs[i], characters(room)) })
		return nil
	})
}

func (s *server) run(l *past.Library, x *past.Run, room int) string {
	lines := fmt.Sprintf("lines %d-%d: ", x.First, x.Last)
	if x.First == x.Last {
		lines = fmt.Sprintf("line %d: ", x.First)
	}
	e := x.Edit
	switch {
	case e == nil:
		return lines + "not written by any known session\n"
	case x.Asking:
		return lines + "this session\n"
	}
	var b strings.Builder
	b.WriteString(lines)
	s.origin(&b, l, &e.Session, e.EntryID, e.Time)
	if e.Model != "" {
		fmt.Fprintf(&b, ", %s", s.guard.Line(e.Model, 60))
	}
	b.WriteString("\n")
	if e.Left {
		b.WriteString("on an abandoned branch\n")
	}
	if e.Request != "" {
		fmt.Fprintf(&b, "asked: %s\n", s.guard.Line(e.Request, min(300, room)))
	}
	return b.String()
}
