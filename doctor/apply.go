package doctor

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
)

// apply makes the repaired copy of the session. Only the changes are in memory;
// the rest is read from the file on demand.
func (d *diagnosis) apply() (*patched, error) {
	p := patch{from: d.now, out: newPatched(d.now.r)}
	for k := range d.now.state.Len() + 2 {
		start, end := d.now.record(k)
		if clean, dirty := d.changeSet.gaps[k]; dirty {
			_, from := d.now.record(k - 1)
			p.put(from, start, clean)
		}
		members := d.changeSet.header
		if k > 0 {
			members = d.changeSet.edits[k-1]
		}
		if len(members) > 0 {
			p.edit(start, int(end-start), func(line []byte) []byte { return setAll(line, members) })
		}
	}
	p.out.Keep(p.at, d.now.size)
	return p.out, p.err
}

func setAll(line []byte, members []member) []byte {
	for _, m := range members {
		if m.raw == nil {
			line = jsonl.Delete(line, m.name)
		} else {
			line = jsonl.Set(line, m.name, m.raw)
		}
	}
	return line
}

// A snapshot is a read-only log in memory.
type snapshot struct{ log *patched }

var _ store.Log = snapshot{}

var errSnapshot = fmt.Errorf("repaired copy: %w", store.ErrReadOnly)

func (s snapshot) ReadAt(p []byte, off int64) (int, error)            { return s.log.ReadAt(p, off) }
func (s snapshot) Size(ctx context.Context) (int64, error)            { return s.log.Size(), nil }
func (snapshot) Append(context.Context, int64, []byte) (int64, error) { return 0, errSnapshot }
func (snapshot) Sync(ctx context.Context) error                       { return nil }
func (snapshot) Close() error                                         { return nil }

// reread scans a repaired copy as if it were a file.
func (r *reading) reread(copied *patched, mode fs.FileMode) (*reading, error) {
	next := &reading{opt: r.opt, file: r.file, log: snapshot{copied}, body: &body{ReaderAt: copied}, movedAt: -1, mode: mode}
	next.size = copied.Size()
	return next, next.scanLog()
}

// migrated returns a session in the current format version. Only the members
// that versions define change, so that entries keep the ids under which every
// command of pith shows them.
func migrated(v *view) (*patched, error) {
	p := patch{from: v, out: newPatched(v.r)}
	v.state.Migrate(p.edit)
	p.out.Keep(p.at, v.size)
	return p.out, p.err
}

// A patch copies a session from start to end and changes parts of it.
type patch struct {
	from *view
	out  *patched
	at   int64 // offset up to which the session is done
	err  error
}

// edit replaces a record with the result of f.
func (p *patch) edit(from int64, length int, f func([]byte) []byte) {
	if p.err != nil {
		return
	}
	var line []byte
	if line, p.err = p.from.bytes(from, length); p.err != nil {
		return
	}
	p.out.Keep(p.at, from)
	p.out.Replace(from, line, f(line))
	p.at = from + int64(length)
}

func (p *patch) put(from, to int64, b []byte) {
	p.out.Keep(p.at, from)
	p.out.Put(b)
	p.at = to
}
