package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store/filestore"
)

// ErrDamaged means that a copy does not match its hash.
var ErrDamaged = errors.New("the copy is damaged")

// expand writes the content of a copy and verifies it.
func expand(ctx context.Context, path string, c Copy, to io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(&source{ctx: ctx, in: in}, c.Size+1))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || n != c.Size || hex.EncodeToString(sum.Sum(nil)) != c.Hash {
		return fmt.Errorf("%s: %w", path, errors.Join(ErrDamaged, err))
	}
	return nil
}

// unpack creates a new private file from a copy, completely or not at all. If
// the file exists, the error matches fs.ErrExist.
func (v *Vault) unpack(ctx context.Context, c Copy, path string) error {
	if err := sources.WriteNew(path, func(w io.Writer) error { return expand(ctx, v.path(c.Hash), c, w) }); err != nil {
		return err
	}
	return os.Chtimes(path, c.Modified, c.Modified)
}

// A State is the result of Restore for a file.
type State int

// The states of files.
const (
	Restored State = iota
	Present        // the original exists and contains everything in the copy
	Differs        // a different file exists and was left alone
)

// A Restore says which files to restore and where to.
type Restore struct {
	// Want chooses among the files, by their names in the index.
	Want func(name string) bool
	// At restores files as they were then; the zero time means their newest copies.
	At time.Time
	// To is the directory below which files are put; "" for where they were.
	To string
}

// copyAt returns the newest of the copies of a file that is not from after a time.
// Times of files are compared in seconds, as people type them.
func copyAt(copies []Copy, at time.Time) (Copy, bool) {
	for _, c := range slices.Backward(copies) {
		if at.IsZero() || !c.Modified.Truncate(time.Second).After(at) {
			return c, true
		}
	}
	return Copy{}, false
}

// Restore restores files. It replaces nothing, and calls each for every file.
func (v *Vault) Restore(ctx context.Context, o Restore, each func(path string, s State)) error {
	x, err := v.Index()
	if err != nil {
		return err
	}
	if o.To != "" {
		x.Root = filepath.Join(o.To, filepath.Base(x.Root))
	}
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(x.Files)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c, ok := copyAt(x.Files[name], o.At)
		if !ok || !o.Want(name) {
			continue
		}
		s, path, err := v.restore(ctx, x, name, c, o.To == "")
		if err != nil {
			failed = append(failed, err)
			continue
		}
		each(path, s)
	}
	return errors.Join(failed...)
}

// restore restores a file. atHome means that it goes where its program finds it.
func (v *Vault) restore(ctx context.Context, x *Index, name string, c Copy, atHome bool) (State, string, error) {
	path := x.Original(name)
	if _, err := os.Lstat(path + "-wal"); name == "" && err == nil && x.Gone(name) {
		return Differs, path + "-wal", nil // SQLite would apply it to the copy
	}
	err := fs.ErrExist
	if x.Gone(name) {
		err = v.unpack(ctx, c, path)
		if _, deletes := v.Program.(Deleter); deletes && err == nil && atHome {
			now := time.Now()
			err = os.Chtimes(path, now, now) // as old as it was, it would be deleted again
		}
	}
	switch {
	case err == nil:
		return Restored, path, nil
	case !errors.Is(err, fs.ErrExist):
		return 0, path, err
	case stampOf(path, name == "") == c.Stamp || begins(path, c):
		return Present, path, nil
	}
	return Differs, path, nil
}

// begins reports whether a file begins with what a copy holds.
func begins(path string, c Copy) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, c.Size))
	return err == nil && n == c.Size && hex.EncodeToString(sum.Sum(nil)) == c.Hash
}

// Gone is a Program with the sessions of a vault that are missing in their own
// program. A root is a directory in the cache into which their files are
// unpacked; it must not contain anything else.
type Gone struct {
	sources.Program
	Vault *Vault
}

func (g Gone) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	x, err := g.Vault.Index()
	if err != nil {
		return nil, err
	}
	if copies := x.Files[""]; len(copies) > 0 {
		return g.rows(ctx, root, x, copies)
	}
	gone := map[string]bool{}
	for name := range x.Files {
		if x.Gone(name) {
			gone[name] = true
		}
	}
	if len(gone) == 0 {
		return nil, os.RemoveAll(root)
	}
	if err := filestore.MakeFolders(root); err != nil {
		return nil, err
	}
	// A damaged copy or a live session that cannot be read hides no other
	// session.
	unfilled := filestore.WithDirLock(ctx, root, func() error { return g.fill(ctx, root, x, gone) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	live, unread := g.live(ctx, x.Root)
	sessions, err := g.Program.Sessions(ctx, root)
	var out []sources.Session
	for _, s := range sessions {
		if gone[nameOf(root, s.Path)] && !live[s.ID] {
			out = append(out, s)
		}
	}
	return out, errors.Join(unfilled, unread, err)
}

// fill makes the files of a root those that are gone, and those needed to read
// them: the files next to and above them that are not sessions, or all files of
// a program that is a [Linker].
func (g Gone) fill(ctx context.Context, root string, x *Index, gone map[string]bool) error {
	_, linked := g.Program.(Linker)
	above := map[string]bool{} // the directories of the files that are gone, up to the root
	for name := range gone {
		for dir := path.Dir(name); !above[dir]; dir = path.Dir(dir) {
			above[dir] = true
		}
	}
	sessions := map[string]bool{}
	for _, s := range x.Sessions {
		sessions[s.Path] = true
	}
	wanted := map[string]bool{}
	var failed []error
	for name, copies := range x.Files {
		owns := above[strings.TrimSuffix(name, format.FileSuffix)] // the directory of its name holds something gone
		if !gone[name] && !linked && !owns && (sessions[name] || !above[path.Dir(name)]) {
			continue
		}
		c, file := copies[len(copies)-1], filepath.Join(root, filepath.FromSlash(name))
		wanted[file] = true
		if info, err := os.Stat(file); err == nil && info.Size() == c.Size && info.ModTime().Equal(c.Modified) {
			continue
		}
		err := os.RemoveAll(file)
		if err == nil {
			err = g.Vault.unpack(ctx, c, file)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = append(failed, err)
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || wanted[file] {
			return err
		}
		return os.Remove(file)
	})
	return errors.Join(append(failed, err)...)
}

// rows returns the sessions of the copies of a database that are missing in the
// database, each from the newest copy that contains it.
func (g Gone) rows(ctx context.Context, root string, x *Index, copies []Copy) ([]sources.Session, error) {
	have, err := g.live(ctx, x.Root)
	if err != nil {
		return nil, err
	}
	missing := false
	for id := range x.Sessions {
		missing = missing || !have[id]
	}
	if !missing {
		return nil, os.RemoveAll(root)
	}
	var out []sources.Session
	var failed []error
	for i := len(copies) - 1; i >= 0; i-- {
		path := filepath.Join(root, copies[i].Hash+".db")
		if err := g.Vault.unpack(ctx, copies[i], path); err != nil && !errors.Is(err, fs.ErrExist) {
			failed = append(failed, err)
			continue
		}
		sessions, err := g.Program.Sessions(ctx, path)
		failed = append(failed, err)
		for _, s := range sessions {
			if !have[s.ID] {
				have[s.ID] = true
				out = append(out, s)
			}
		}
	}
	return out, errors.Join(failed...)
}

// Missing returns the IDs of the sessions that the program no longer has.
func (v *Vault) Missing(ctx context.Context, x *Index) map[string]bool {
	missing := map[string]bool{}
	var have map[string]bool
	for id, s := range x.Sessions {
		if s.Path != "" {
			missing[id] = x.Gone(s.Path)
			continue
		}
		if have == nil { // rows of a database
			var err error
			if have, err = (Gone{v.Program, v}).live(ctx, x.Root); err != nil {
				return missing
			}
		}
		missing[id] = !have[id]
	}
	return missing
}

// live are the IDs of the sessions that the program has. If they cannot all be
// listed, nothing can be said to be gone, unless the root itself is.
func (g Gone) live(ctx context.Context, root string) (map[string]bool, error) {
	ids := map[string]bool{}
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return ids, nil
	}
	sessions, err := g.Program.Sessions(ctx, root)
	for _, s := range sessions {
		ids[s.ID] = true
	}
	return ids, err
}

// Named reports whether a file belongs to the session that ref names by its ID
// or a prefix of it.
func Named(name, ref string) bool {
	if len(ref) < 4 {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		part = strings.TrimSuffix(strings.TrimSuffix(part, ".zst"), ".jsonl")
		if strings.HasPrefix(part, ref) || strings.Contains(part, "-"+ref) || strings.Contains(part, "_"+ref) || part != "" && strings.HasSuffix(ref, "."+part) {
			return true
		}
	}
	return false
}
