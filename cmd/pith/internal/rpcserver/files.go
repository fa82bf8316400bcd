package rpcserver

import (
	"context"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/edits"
)

// files is the method: the files of a session, or who touched a file.
func files(ctx context.Context, c *call) ([]byte, error) {
	if c.json("session") == nil {
		return touchedFiles(ctx, c)
	}
	path, name := c.text("session"), c.text("path")
	s, err := c.read(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	o, done, err := c.editing(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	past, err := pastOf(ctx, s, o)
	if err != nil {
		return nil, err
	}
	list := past.Files()
	if name != "" {
		f, ok := past.Find(name, past.Root())
		if !ok {
			return nil, &paramError{"path", "is not a file that the session changed"}
		}
		list = []blame.Changed{*f}
	}
	return view.Marshal(view.Files{Root: view.Text(past.Root()), Files: view.ChangedFiles(list)})
}

// editing are the options of every look at the edits of sessions. done must be called.
func (c *call) editing(ctx context.Context) (o blame.Options, done func(), err error) {
	where := c.catalogOptions()
	where.IncludeInternal = true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, where))
	if err != nil {
		return o, nil, err
	}
	index := edits.Open(ctx, where.Index.Dir())
	return blame.Options{Sessions: infos, Index: index}, func() { index.Close(ctx) }, nil
}

// pastOf opens the files of a session, which need not be in the list.
func pastOf(ctx context.Context, s *pith.Session, o blame.Options) (*blame.Past, error) {
	at := slices.IndexFunc(o.Sessions, func(i catalog.Info) bool { return i.Path == s.File() })
	if at < 0 {
		at = len(o.Sessions)
		h := s.Header()
		o.Sessions = append(o.Sessions, catalog.Info{Path: s.File(), ID: h.ID, Cwd: h.Cwd})
	}
	return blame.OpenPast(ctx, s, at, o)
}
