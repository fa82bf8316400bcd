package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/testcache"
)

// This file measures the list of all sessions with an index: the list that makes
// it, the next one, and the one after a line was appended. Opening the index is
// part of each.

func (b *bench) indexedSection(ctx context.Context) (section, error) {
	dir, err := b.store(ctx)
	if err != nil {
		return section{}, err
	}
	many, err := b.file(ctx, "the 10,000 small sessions", manySessions)
	if err != nil {
		return section{}, err
	}
	return section{
		title: "The same list with an index",
		note:  "pi has no index: its figures are those of its list, each time.",
		trials: []trial{
			{
				what: "the list of 1,000 sessions with an index",
				rows: []row{
					{key: "first", title: "the first list, which makes the index", unit: secondsUnit, goal: atLeast(5)},
					{key: "peak", title: "peak memory of that", unit: bytesUnit, goal: atMost(200e6, bytesUnit)},
					{key: "again", title: "the list when nothing changed", unit: secondsUnit, goal: atMost(0.030, secondsUnit)},
					{key: "appended", title: "the list after one line was appended", unit: secondsUnit},
					{key: "size", title: "size of the index", unit: bytesUnit},
				},
				contenders: b.contenders(b.o.piRuns,
					func(ctx context.Context) (reading, error) { return b.readIndexedList(ctx, dir) },
					func(ctx context.Context, h *pi.Host) (reading, error) { return piIndexedList(ctx, h, dir) }),
			},
			{
				what: "the list of 10,000 small sessions with an index",
				rows: []row{
					{key: "first, 10,000", title: "10,000 sessions of 50 MB, the first list", unit: secondsUnit},
					{key: "again, 10,000", title: "10,000 sessions, the list when nothing changed", unit: secondsUnit, goal: atMost(0.150, secondsUnit)},
				},
				contenders: []contender{b.pithContender(func(ctx context.Context) (reading, error) { return b.readManyIndexed(ctx, many) })},
			},
		},
	}, nil
}

// manySessions is a sessions folder with 10,000 small sessions.
func manySessions(ctx context.Context) (string, error) {
	dir, err := testcache.Folder(ctx, fmt.Sprintf("bench-v%d-store-10000", corpus.ContentVersion), func(_ context.Context, dir string) error {
		return corpus.Store(filepath.Join(dir, "sessions"), corpus.StoreOptions{Sessions: 10_000, Bytes: 50_000_000, Projects: 50})
	})
	return filepath.Join(dir, "sessions"), err
}

func (b *bench) readIndexedList(ctx context.Context, dir string) (reading, error) {
	index, err := os.MkdirTemp(b.work, "index-")
	if err != nil {
		return reading{}, err
	}
	defer os.RemoveAll(index)
	own, last, err := linkedStore(dir, filepath.Join(index, "agent", "sessions"))
	if err != nil {
		return reading{}, err
	}
	inIndex := func() (sample, error) { return inChild(ctx, task{Name: "list+index", Path: own, Index: index}) }
	first, err := inIndex()
	if err != nil {
		return reading{}, err
	}
	again, err := inIndex()
	if err != nil {
		return reading{}, err
	}
	if err := appendLine(last); err != nil {
		return reading{}, err
	}
	appended, err := inIndex()
	return reading{
		values: map[string]value{
			"first": first.time(), "peak": first.memory(), "again": again.time(), "appended": appended.time(),
			"size": sizeOf(catalog.IndexFiles(index)),
		},
		counts: map[string]int{"sessions": first.Sessions, "messages": first.Messages},
	}, err
}

func (b *bench) readManyIndexed(ctx context.Context, dir string) (reading, error) {
	index, err := os.MkdirTemp(b.work, "index-")
	if err != nil {
		return reading{}, err
	}
	defer os.RemoveAll(index)
	first, err := inChild(ctx, task{Name: "list+index", Path: dir, Index: index})
	if err != nil {
		return reading{}, err
	}
	again, err := inChild(ctx, task{Name: "list+index", Path: dir, Index: index})
	return reading{
		values: map[string]value{"first, 10,000": first.time(), "again, 10,000": again.time()},
		counts: map[string]int{"sessions": first.Sessions, "messages": first.Messages},
	}, err
}

// linkedStore makes a sessions folder with the files of another one, and one of
// them, which it returns, copied, so that it can be appended to.
func linkedStore(from, to string) (_, last string, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		last = target
		return os.Link(path, target)
	})
	if err != nil {
		return "", "", err
	}
	data, err := os.ReadFile(last)
	if err != nil {
		return "", "", err
	}
	if err := os.Remove(last); err != nil {
		return "", "", err
	}
	return to, last, os.WriteFile(last, data, 0o600)
}

func appendLine(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.WriteString(f, `{"type":"message","id":"ffffffff","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z",`+
		`"message":{"role":"user","content":"one more line","timestamp":1767225600000}}`+"\n")
	return err
}

// sizeOf is how large files are together; those that do not exist are empty.
func sizeOf(paths []string) value {
	var n int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return value{amount: float64(n)}
}

func piIndexedList(ctx context.Context, h *pi.Host, dir string) (reading, error) {
	r, err := piList(ctx, h, dir)
	list := r.values["list"]
	r.values = map[string]value{"first": list, "peak": r.values["peak"], "again": list, "appended": list}
	return r, err
}

func listIndexTask(ctx context.Context, t task) (sample, error) {
	var ix *catalog.Index
	var opening sample
	err := opening.timed(func() (err error) {
		ix, err = catalog.OpenIndex(t.Index)
		return err
	})
	if err != nil {
		return sample{}, err
	}
	defer ix.Close()
	s, err := list(ctx, t, catalog.Options{Index: ix})
	s.Wall += opening.Wall
	s.CPU += opening.CPU
	s.Allocs += opening.Allocs
	s.AllocBytes += opening.AllocBytes
	return s, err
}
