package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Options configure a check or repair. The zero value checks everything.
type Options struct {
	// Only limits findings and repairs to these kinds. A repair of lines always
	// migrates a file of an old version, and adds a missing header, whatever is
	// listed here.
	Only []Code
	// Store holds the sessions. Nil means the file system.
	Store store.Store
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Force repairs a session that the program that owns it seems to have open.
	Force bool
}

func (o Options) logs() store.Store {
	if o.Store != nil {
		return o.Store
	}
	return filestore.New(filestore.Options{})
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func (o Options) wants(c Code) bool {
	return len(o.Only) == 0 || slices.Contains(o.Only, c)
}

// A reading is a file as it was read.
type reading struct {
	opt  Options
	file string
	log  store.Log
	body *body // reader of the log
	size int64
	mode fs.FileMode // 0 if the store has no files

	// verdict is the reason why the file is not checked further, or "" for a
	// session.
	verdict Code
	reason  string

	// was is the session as in the file, after a generated header if it has
	// none.
	was *view
	// made is the generated header line with its line end; nil if the file has
	// its own.
	made []byte
	// from describes the source of the header, and movedAt is its offset in the
	// file, or -1 if it is not a line of the file.
	from    string
	movedAt int64
	// now is the session in the current format version: was itself, or an
	// overlay of it. Both have the same entries in the same order.
	now *view
}

// A body reads a log until done returns an error.
type body struct {
	io.ReaderAt
	done func() error // nil means never
}

// ReadAt implements io.ReaderAt.
func (b *body) ReadAt(p []byte, off int64) (int, error) {
	if b.done != nil {
		if err := b.done(); err != nil {
			return 0, err
		}
	}
	return b.ReaderAt.ReadAt(p, off)
}

// NextData finds the end of a hole: see [jsonl.NextData].
func (b *body) NextData(off, to int64) int64 { return jsonl.NextData(b.ReaderAt, off, to) }

// read opens and scans a file. An error means that the file could not be read;
// damage is part of the reading.
func read(ctx context.Context, path string, o Options) (*reading, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", path, err)
	}
	if o.Store == nil {
		o.Store = foreign.StoreOf(path)
	}
	r := &reading{opt: o, file: path, movedAt: -1}
	if r.log, err = o.logs().Open(ctx, path); err != nil {
		return nil, err
	}
	r.body = &body{r.log, ctx.Err}
	if err := r.scan(ctx); err != nil {
		_ = r.log.Close() // nothing was written; the first error is returned
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return r, nil
}

func (r *reading) close() { _ = r.log.Close() } // only read, or replaced

func (r *reading) scan(ctx context.Context) error {
	var err error
	if r.size, err = r.log.Size(ctx); err != nil {
		return err
	}
	if filestore.Is(r.opt.logs()) {
		info, err := os.Stat(r.file)
		if err != nil {
			return err
		}
		r.mode = info.Mode()
	}
	return r.scanLog()
}

func (r *reading) scanLog() error {
	if r.size == 0 {
		r.verdict, r.reason = Empty, "an empty file"
		return nil
	}
	var err error
	r.was, err = scan(r.body, r.size)
	switch {
	case errors.Is(err, format.ErrTooNew):
		r.verdict, r.reason = TooNew, "format version 4 or above"
		return nil
	case errors.Is(err, format.ErrNotSession), err == nil && r.was.state.Header == nil:
		if err := r.scanHeadless(); err != nil || r.verdict != "" {
			return err
		}
	case err != nil:
		return err
	}
	return r.bringUp()
}

// scanHeadless reads a file that does not start with a header as if it did. It
// is still a session if it contains a message.
func (r *reading) scanHeadless() error {
	stand := format.AppendHeader(nil, &format.Header{ID: "x"})
	v, err := scan(withLineBefore(r.body, r.size, append(stand, '\n')))
	if err != nil {
		return err
	}
	if !hasMessage(v.state) {
		r.verdict, r.reason = NotSession, "no header and no messages"
		return nil
	}
	shift := int64(len(stand) + 1)
	line, from, err := r.makeHeader(v, shift)
	if err != nil {
		return err
	}
	r.made, r.from = append(line, '\n'), from
	r.was, err = scan(withLineBefore(r.body, r.size, r.made))
	return err
}

func withLineBefore(log io.ReaderAt, size int64, line []byte) (io.ReaderAt, int64) {
	out := newPatched(log)
	out.Put(line)
	out.Keep(0, size)
	return out, out.Size()
}

func hasMessage(t *journal.State) bool {
	for i := range t.Len() {
		e := t.At(i)
		if e.Kind == journal.KindMessage && e.Time != journal.NoTime && e.Role != journal.RoleNone && e.Role != journal.RoleOther {
			return true
		}
	}
	return false
}

// bringUp computes the session's form in the current version.
func (r *reading) bringUp() error {
	r.now = r.was
	if !r.was.state.NeedsMigration() {
		return nil
	}
	if subagent.RecordKind(r.body) != "" {
		r.verdict, r.reason = NotSession, "the events of a run, not a session"
		return nil
	}
	m, err := migrated(r.was)
	if err != nil {
		return err
	}
	if r.now, err = scan(m, m.Size()); err != nil {
		return err
	}
	if r.now.state.Len() != r.was.state.Len() {
		return fmt.Errorf("upgrading it to version %d gives %d of %d entries", format.Version, r.now.state.Len(), r.was.state.Len())
	}
	return nil
}

// place converts a position of was to a position in the file.
func (r *reading) place(line int, offset int64) (int, int64) {
	if r.made == nil {
		return line, offset
	}
	return max(line-1, 1), max(offset-int64(len(r.made)), 0)
}
