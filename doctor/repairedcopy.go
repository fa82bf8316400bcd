package doctor

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/store"
)

// A RepairedCopy is a file as a repair would leave it, for reading. The file itself is
// not touched.
type RepairedCopy struct {
	// Store has the repaired copy under the name of the file, and nothing else. It
	// refuses to be written to.
	Store store.Store
	// Report is what was found in the file.
	Report *Report
	plan   *repaired
}

// OpenRepaired repairs a file in memory, so that even one that no program takes for a
// session any more can be opened. The error matches pith.ErrNotSession for a file
// in which nobody says anything, and pith.ErrTooNew. It must be closed when
// nothing is read from it any more.
func OpenRepaired(ctx context.Context, path string, o Options) (*RepairedCopy, error) {
	p, err := plan(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if err := p.refusal(); err != nil && p.copied == nil {
		p.close()
		return nil, err
	}
	p.body.done = nil // what is read from it later has nothing to do with the context
	return &RepairedCopy{Store: copies{p.file, p.result()}, Report: p.report, plan: p}, nil
}

// Close frees the file below.
func (m *RepairedCopy) Close() { m.plan.close() }

// copies is a store of one repaired copy.
type copies struct {
	name   string
	copied *patchedlog.Log
}

var _ store.Store = copies{}

func (c copies) Open(ctx context.Context, name string) (store.Log, error) {
	if name != c.name {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return snapshot{c.copied}, nil
}

func (copies) Create(context.Context, string, store.Fill) (store.Log, error) { return nil, errSnapshot }

func (copies) Replace(context.Context, store.Log, int64, store.Fill, string) (store.Log, error) {
	return nil, errSnapshot
}
