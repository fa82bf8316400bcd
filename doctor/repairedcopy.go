package doctor

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pith-sessions/pith/store"
)

// A RepairedCopy is a read-only copy of a file as a repair would leave it. The
// file itself does not change.
type RepairedCopy struct {
	// Store holds only the repaired copy, under the name of the file. It is
	// read-only.
	Store store.Store
	// Report holds the findings of the file.
	Report *Report
	plan   *repaired
}

// OpenRepaired repairs a file in memory, so that even one that is no longer
// recognizable as a session can be opened. The error matches pith.ErrNotSession
// for a file without messages, and pith.ErrTooNew. The caller must close the
// copy after the last read.
func OpenRepaired(ctx context.Context, path string, o Options) (*RepairedCopy, error) {
	p, err := plan(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if err := p.refusal(); err != nil && p.copied == nil {
		p.close()
		return nil, err
	}
	p.body.done = nil // later reads are independent of the context
	return &RepairedCopy{Store: copies{p.file, p.result()}, Report: p.report, plan: p}, nil
}

// Close releases the underlying file.
func (m *RepairedCopy) Close() { m.plan.close() }

// copies is a store that holds one repaired copy.
type copies struct {
	name   string
	copied *patched
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
