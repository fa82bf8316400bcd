package ops

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/sessiondir"
)

// A Removal is how a session goes to the trash.
type Removal struct {
	// Path is the file of the session; for another agent, the agent's own file.
	Path string
	// Extent is that of the files that go with it.
	Extent trash.Extent

	foreign *foreign
	set     trash.Set
}

// RemoveParams say which session is removed and where things are.
type RemoveParams struct {
	Session catalog.Ref
	Engine  pith.Options
	Catalog catalog.Options
	Trash   trash.Options
	// Files is for those who remove many sessions; it may be nil.
	Files *AgentFiles
}

// PlanRemoval returns how Remove would remove a session, or why it cannot:
//
//   - a process has the file open and would continue to write to it in the trash: a
//     *pith.HeldError or, for another agent, an *OpenThereError
//   - it belongs to another session, or another one needs it: a *sources.PartError or
//     a *sources.NeededError
//   - it is in a database: a *DatabaseError
//   - it is a copy of a session of another agent: a *format.ForeignError
//   - it is not a session: an error that matches pith.ErrNotSession
//
// A damaged session can be removed.
func PlanRemoval(ctx context.Context, p RemoveParams) (*Removal, error) {
	f, err := findForeign(ctx, p.Session, p.Catalog, p.Files)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return planOwn(ctx, p)
	}
	remover, ok := f.program.(sources.Remover)
	if !ok {
		return nil, f.header.CheckWritable()
	}
	b, err := remover.Belongings(ctx, f.root, f.session)
	if err != nil {
		return nil, err
	}
	r := &Removal{Path: f.session.Path, foreign: f, set: trash.Set{
		Path: f.session.Path, Whole: b.Whole, Also: b.Also, Source: f.program.Name(), Session: f.header.ID,
	}}
	if len(b.Lines) > 0 {
		r.set.Lines = []trash.Lines{{Path: b.LinesOf, Lines: b.Lines}}
	}
	r.Extent = trash.ExtentOf(b.Also...)
	if b.Whole != "" { // it contains the file
		r.Extent = trash.ExtentOf(b.Whole)
		r.Extent.Files--
		r.Extent.Bytes -= f.session.Stamp.Size
	}
	return r, f.checkClosed(ctx, b.Also...)
}

// PlanDelete returns how [Delete] would delete a session, or why it cannot.
func PlanDelete(ctx context.Context, a *App, p PathParams) (*Removal, error) {
	return PlanRemoval(ctx, RemoveParams{Session: catalog.Ref{Path: sessiondir.ExpandPath(p.Path, "")}, Engine: a.Engine(), Catalog: a.Listing()})
}

// IsPart reports whether a session of another agent goes with the one that started it.
func IsPart(ctx context.Context, p RemoveParams) bool {
	f, err := findForeign(ctx, p.Session, p.Catalog, p.Files)
	if err != nil || f == nil {
		return false
	}
	remover, ok := f.program.(sources.Remover)
	if !ok {
		return false
	}
	_, err = remover.Belongings(ctx, f.root, f.session)
	return errors.As(err, new(*sources.PartError))
}

func planOwn(ctx context.Context, p RemoveParams) (*Removal, error) {
	engine := p.Engine
	engine.ReadOnly = true
	s, err := pith.Open(ctx, p.Session.Path, engine)
	switch {
	case errors.Is(err, pith.ErrNotSession):
		return nil, err
	case err == nil:
		defer s.Close() // only read
		if held := (*pith.HeldError)(nil); errors.As(s.Held(ctx), &held) && held.Process != 0 {
			return nil, held
		}
	}
	r := &Removal{Path: p.Session.Path, Extent: trash.Measure(p.Session.Path)}
	if target, err := filepath.EvalSymlinks(r.Path); err == nil {
		r.Path = target
	}
	return r, ctx.Err()
}

// Remove moves a session to the trash with what belongs to it. A symbolic link stays:
// its target moves. Like [trash.Put], Remove may return a receipt with an error.
func Remove(ctx context.Context, p RemoveParams) (trash.Receipt, error) {
	r, err := PlanRemoval(ctx, p)
	if err != nil {
		return trash.Receipt{}, err
	}
	if r.foreign == nil {
		return trash.Put(r.Path, p.Trash)
	}
	if info, err := catalog.Facts(ctx, p.Session, p.Catalog); err == nil {
		r.set.Title = info.Title()
	}
	return trash.PutSet(r.set, p.Trash)
}
