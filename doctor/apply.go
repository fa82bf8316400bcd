package doctor

import (
	"fmt"
	"io/fs"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/overlay"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/store"
)

// apply makes the repaired copy of the session. Only what changes is in memory;
// the rest is read from the file when it is asked for.
func (d *diagnosis) apply() (*overlay.Log, error) {
	p := patch{from: d.now, out: overlay.New(d.now.r)}
	for k := range len(d.entries()) + 2 {
		start, end := d.record(k)
		if clean, dirty := d.cure.gaps[k]; dirty {
			_, from := d.record(k - 1)
			p.put(from, start, clean)
		}
		members := d.cure.header
		if k > 0 {
			members = d.cure.edits[k-1]
		}
		if len(members) > 0 {
			p.edit(start, int(end-start), func(line []byte) []byte { return setAll(line, members) })
		}
	}
	p.out.Keep(p.at, d.now.size)
	if d.cure.leaf != tree.None {
		p.out.Put(append(d.leafLine(), '\n'))
	}
	return p.out, p.err
}

func setAll(line []byte, members []member) []byte {
	for _, m := range members {
		line = jsonl.Set(line, m.name, m.raw)
	}
	return line
}

// leafLine is the entry that records the newest place, as closing a session
// there would have written it.
func (d *diagnosis) leafLine() []byte {
	leaf := d.idAfter(d.cure.leaf)
	taken := func(id string) bool { return d.now.tree.Find(id) != tree.None || d.fresh[id] }
	return format.AppendEntry(nil, &format.Custom{
		Base: format.Base{
			Type: format.TypeCustom, ID: format.LineID(d.now.table.Header.ID, len(d.entries())+1, []byte(leaf), taken),
			ParentID: leaf, Timestamp: format.FormatTime(d.opt.now()),
		},
		CustomType: format.LeafCustomType, Data: format.LeafData(leaf),
	})
}

// A snapshot is a log that exists in memory alone.
type snapshot struct{ *overlay.Log }

var _ store.Log = snapshot{}

var errSnapshot = fmt.Errorf("a copy that is being checked: %w", store.ErrReadOnly)

func (s snapshot) Size() (int64, error)                  { return s.Log.Size(), nil }
func (snapshot) Append(int64, []byte) (int64, error)     { return 0, errSnapshot }
func (snapshot) Sync() error                             { return nil }
func (snapshot) Close() error                            { return nil }
func (s snapshot) ReadAt(p []byte, o int64) (int, error) { return s.Log.ReadAt(p, o) }

// reread looks at a repaired copy as at a file.
func (r *reading) reread(copied *overlay.Log, mode fs.FileMode) (*reading, error) {
	next := &reading{opt: r.opt, file: r.file, log: snapshot{copied}, movedAt: -1, mode: mode}
	next.size = copied.Size()
	return next, next.scanLog()
}
