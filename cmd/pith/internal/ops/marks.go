package ops

import (
	"context"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/sessiondir"
)

// MarksOfSession returns the marks of the session in a file.
func MarksOfSession(ctx context.Context, a *App, p PathParams) (marks.Marks, error) {
	info, err := catalog.Facts(ctx, catalog.Ref{Path: sessiondir.ExpandPath(p.Path, "")}, catalog.Options{})
	if err != nil {
		return marks.Marks{}, err
	}
	of, err := a.MarksOf()
	return of(info.ID), err
}

// MarkParams change the marks of a session. What is nil stays.
type MarkParams struct {
	Path     string    `json:"path" need:"value"`
	Pinned   *bool     `json:"pinned"`
	Archived *bool     `json:"archived"`
	Tags     *[]string `json:"tags"`
}

// Mark changes marks and returns them.
func Mark(ctx context.Context, a *App, p MarkParams) (marks.Marks, error) {
	if p.Tags != nil {
		for _, tag := range *p.Tags {
			if marks.CheckTag(tag) != nil {
				return marks.Marks{}, &ParamError{"tags", "has an invalid tag: " + tag}
			}
		}
	}
	if a.Marks == nil {
		return marks.Marks{}, ErrNoPlace
	}
	path := sessiondir.ExpandPath(p.Path, "")
	info, err := catalog.Facts(ctx, catalog.Ref{Path: path}, catalog.Options{})
	if err != nil {
		return marks.Marks{}, err
	}
	all, err := a.Marks()
	if err != nil {
		return marks.Marks{}, err
	}
	m, err := all.Update(info.ID, path, func(m *marks.Marks) {
		if p.Pinned != nil {
			m.Pinned = *p.Pinned
		}
		if p.Archived != nil {
			m.Archived = *p.Archived
		}
		if p.Tags != nil {
			m.Tags = *p.Tags
		}
	})
	return m, err
}
