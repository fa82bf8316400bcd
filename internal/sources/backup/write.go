package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Result contains the counts of a run.
type Result struct {
	Files    int   // files copied
	Bytes    int64 // their size
	Sessions int   // sessions that the root has now
}

// ErrChanging means that a file was truncated while it was read. The next run
// tries again.
var ErrChanging = errors.New("changed while it was read")

// saveEvery is the number of files after which the index is written, so that a
// killed run loses little.
const saveEvery = 256

// Update copies new files under the root. Files that cannot be read are named
// by the error, and the others are copied; an error of the vault stops it.
func (v *Vault) Update(ctx context.Context, root string) (r Result, err error) {
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return r, err
	}
	if err := filestore.MakeFolders(filepath.Join(v.Dir, "copies")); err != nil {
		return r, err
	}
	err = filestore.WithDirLock(ctx, v.Dir, func() error {
		x, err := v.Index()
		if err != nil {
			return err
		}
		x.Root = root
		u := &updater{Vault: v, index: x}
		err = u.run(ctx, root)
		r = u.result
		return err
	})
	return r, err
}

// An updater is one run of Update.
type updater struct {
	*Vault
	index   *Index
	result  Result
	unsaved int
	failed  []error // errors of files that could not be read
}

func (u *updater) run(ctx context.Context, root string) error {
	sessions, err := u.Program.Sessions(ctx, root)
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	u.failed = append(u.failed, err)
	u.result.Sessions = len(sessions)
	for _, s := range sessions {
		known := Known{Path: nameOf(root, s.Path), Modified: s.Modified.UTC()}
		if was, ok := u.index.Sessions[s.ID]; !ok || was.Path != known.Path || !was.Modified.Equal(known.Modified) {
			u.index.Sessions[s.ID] = known
			u.unsaved++
		}
	}
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		err = originals(ctx, u.Program, root, func(name string, info fs.FileInfo) error { return u.file(ctx, name, info) })
	default:
		err = u.database(ctx, root)
	}
	if u.unsaved > 0 {
		if saveErr := u.save(u.index); saveErr != nil {
			return errors.Join(err, saveErr)
		}
		u.sweep()
	}
	return errors.Join(append(u.failed, err)...)
}

// file copies a file if it changed since the last copy.
func (u *updater) file(ctx context.Context, name string, info fs.FileInfo) error {
	copies := u.index.Files[name]
	var last Copy
	if len(copies) > 0 {
		last = copies[len(copies)-1]
		if last.Stamp == fileStamp(info) {
			return nil
		}
	}
	in, err := os.Open(u.index.Original(name))
	if err != nil {
		u.failed = append(u.failed, err)
		return nil
	}
	defer in.Close()
	start := &prefix{left: last.Size, hash: sha256.New()}
	source := &source{ctx: ctx, in: io.TeeReader(io.LimitReader(in, info.Size()), start)}
	c, err := u.add(ctx, source)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case source.err != nil:
		u.failed = append(u.failed, source.err)
		return nil
	case err != nil:
		return err
	case c.Size < info.Size():
		u.failed = append(u.failed, fmt.Errorf("%s: %w", in.Name(), ErrChanging))
		return nil
	}
	c.Stamp, c.Modified = fileStamp(info), info.ModTime().UTC()
	if len(copies) > 0 && start.left == 0 && hex.EncodeToString(start.hash.Sum(nil)) == last.Hash {
		copies = copies[:len(copies)-1] // the new one starts with the old one
	}
	return u.keep(name, append(copies, c))
}

func (u *updater) keep(name string, copies []Copy) error {
	u.index.Files[name] = copies
	u.result.Files++
	u.result.Bytes += copies[len(copies)-1].Size
	if u.unsaved++; u.unsaved%saveEvery == 0 {
		return u.save(u.index)
	}
	return nil
}

// database copies a database as seen by one transaction. The previous copy is
// kept if it has sessions or messages that are missing in the new one.
func (u *updater) database(ctx context.Context, path string) error {
	stamp := sources.SQLiteStamp(path)
	copies := u.index.Files[""]
	if len(copies) > 0 && copies[len(copies)-1].Stamp == stamp {
		return nil
	}
	dir, err := os.MkdirTemp(u.Dir, tempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	snapshot := filepath.Join(dir, "new.db")
	if err := vacuum(ctx, path, snapshot); err != nil {
		return err
	}
	in, err := os.Open(snapshot)
	if err != nil {
		return err
	}
	defer in.Close()
	c, err := u.add(ctx, &source{ctx: ctx, in: in})
	if err != nil {
		return err
	}
	c.Stamp, c.Modified = stamp, time.Now().UTC()
	if len(copies) > 0 {
		last := copies[len(copies)-1]
		previous := filepath.Join(dir, "old.db")
		if last.Hash != c.Hash {
			if err := u.unpack(ctx, last, previous); err != nil {
				return err
			}
		}
		if last.Hash == c.Hash || u.contains(ctx, snapshot, previous) {
			copies = copies[:len(copies)-1]
		}
	}
	return u.keep("", append(copies, c))
}

// vacuum writes a snapshot of a database to a new file.
func vacuum(ctx context.Context, path, to string) error {
	db, err := sources.OpenSQLite(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}

// contains reports whether a database has all sessions of another with at least as
// many messages.
func (u *updater) contains(ctx context.Context, db, other string) bool {
	now, err := u.Program.Sessions(ctx, db)
	was, err2 := u.Program.Sessions(ctx, other)
	if err != nil || err2 != nil {
		return false
	}
	sizes := map[string]int64{}
	for _, s := range now {
		sizes[s.ID] = s.Stamp.Size
	}
	for _, s := range was {
		if size, ok := sizes[s.ID]; !ok || size < s.Stamp.Size {
			return false
		}
	}
	return true
}

// A source reads an original and remembers its errors, which are not those of
// the vault.
type source struct {
	ctx context.Context
	in  io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// A prefix hashes the first bytes that are written to it.
type prefix struct {
	left int64
	hash hash.Hash
}

func (p *prefix) Write(b []byte) (int, error) {
	n := min(int64(len(b)), p.left)
	p.hash.Write(b[:n])
	p.left -= n
	return len(b), nil
}

// add stores the content of in, reads it back, and only then gives it its name.
func (v *Vault) add(ctx context.Context, in io.Reader) (c Copy, err error) {
	f, err := os.CreateTemp(filepath.Join(v.Dir, "copies"), tempPrefix)
	if err != nil {
		return c, err
	}
	defer os.Remove(f.Name()) // does nothing after the rename
	sum := sha256.New()
	out, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return c, errors.Join(err, f.Close())
	}
	c.Size, err = io.Copy(out, io.TeeReader(in, sum))
	if err := errors.Join(err, out.Close(), f.Sync(), f.Close()); err != nil {
		return c, err
	}
	c.Hash = hex.EncodeToString(sum.Sum(nil))
	if err := expand(ctx, f.Name(), c, io.Discard); err != nil {
		return c, err
	}
	return c, os.Rename(f.Name(), v.path(c.Hash))
}

func (v *Vault) path(hash string) string { return filepath.Join(v.Dir, "copies", hash+".zst") }

// sweep removes files that the index does not refer to: versions that a longer
// one replaced, and leftovers of a killed run.
func (u *updater) sweep() {
	used := map[string]bool{}
	for _, copies := range u.index.Files {
		for _, c := range copies {
			used[c.Hash+".zst"] = true
		}
	}
	for _, dir := range []string{u.Dir, filepath.Join(u.Dir, "copies")} {
		entries, _ := os.ReadDir(dir) // leftovers only take space, and the next run tries again
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), tempPrefix) || strings.HasSuffix(e.Name(), ".zst") && !used[e.Name()] {
				_ = os.RemoveAll(filepath.Join(dir, e.Name())) // likewise
			}
		}
	}
}
