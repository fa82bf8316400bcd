package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Folder is a store in a directory that something else synchronizes between
// the machines of one person, such as Syncthing, Dropbox or NFS.
//
// A machine writes only files in a directory of its name, so such a tool finds
// no conflicts: MACHINE/SESSION.GENERATION.jsonl with the lines and .json with
// their description, which is written after them. Files with other names, such
// as temporary files and conflict copies, are ignored, and a copy is not read
// before all that its description says has arrived.
type Folder struct {
	dir  string
	logs *filestore.Store
}

// NewFolder returns the store in an existing directory.
func NewFolder(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a directory")}
	}
	return &Folder{dir, filestore.New(filestore.Options{Sync: filestore.SyncAlways})}, err
}

const (
	logSuffix   = ".jsonl"
	aboutSuffix = ".json"
)

// path returns the path of a file of a copy.
func (f *Folder) path(c Copy, suffix string) string {
	return filepath.Join(f.dir, c.Machine, c.Session+"."+strconv.Itoa(c.Generation)+suffix)
}

// Describes implements Store.
func (f *Folder) Describes() bool { return false }

// List implements Store. It omits copies without a readable description.
func (f *Folder) List(ctx context.Context, _, session string) (*Listing, error) {
	machines, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	var all []Copy
	for _, m := range machines {
		if !m.IsDir() || !ValidName(m.Name()) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(f.dir, m.Name()))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c, ok := parseCopy(m.Name(), file.Name())
			if ok && (session == "" || session == c.Session) && f.fill(&c) == nil {
				all = append(all, c)
			}
		}
	}
	return NewListing(all), nil
}

// parseCopy returns the copy whose log is in a file.
func parseCopy(machine, file string) (Copy, bool) {
	m := copyName.FindStringSubmatch(file)
	if m == nil {
		return Copy{}, false
	}
	generation, err := strconv.Atoi(m[2])
	return Copy{Machine: machine, Session: m[1], Generation: generation}, err == nil
}

var copyName = regexp.MustCompile(`^(.+)\.([1-9][0-9]*)\.jsonl$`)

// fill reads the size and the description of a copy. One that was not
// described yet has none.
func (f *Folder) fill(c *Copy) error {
	info, err := os.Stat(f.path(*c, logSuffix))
	if err != nil {
		return err
	}
	c.Stored, c.Stamp = info.Size(), info.ModTime().UnixNano()
	data, err := os.ReadFile(f.path(*c, aboutSuffix))
	if err == nil {
		err = json.Unmarshal(data, &c.About)
	}
	if err != nil || c.Length < 0 {
		c.About = About{}
	}
	return nil
}

// Open implements Store. The error matches ErrIncomplete unless the log begins
// with the bytes that the copy's description names.
func (f *Folder) Open(ctx context.Context, c Copy) (Bytes, error) {
	l, err := f.logs.Open(ctx, f.path(c, logSuffix))
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.NewSectionReader(l, 0, c.Length))
	if err == nil && c.Length > 0 && hex.EncodeToString(sum.Sum(nil)) != c.SHA256 {
		err = ErrIncomplete
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Append implements Store.
func (f *Folder) Append(ctx context.Context, c Copy, at int64, p []byte) error {
	path := f.path(c, logSuffix)
	if at == 0 {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		l, err := f.logs.Create(ctx, path, store.Bytes(p))
		if errors.Is(err, store.ErrExist) {
			err = &store.ConflictError{Name: path, Want: at, Have: at + 1}
		}
		if err != nil {
			return err
		}
		return l.Close()
	}
	l, err := f.logs.Open(ctx, path)
	if err != nil {
		return err
	}
	defer l.Close() // an append is complete when it returns
	_, err = l.Append(ctx, at, p)
	return err
}

// Describe implements Store.
func (f *Folder) Describe(ctx context.Context, c Copy, from int64, d Description) error {
	now := Copy{Machine: c.Machine, Session: c.Session, Generation: c.Generation}
	return filestore.WithDirLock(ctx, filepath.Join(f.dir, c.Machine), func() error {
		if err := f.fill(&now); err != nil {
			return err
		}
		if now.Length != from {
			return fmt.Errorf("%s: %w", c, store.ErrConflict)
		}
		data, err := json.Marshal(d.About)
		if err != nil {
			return err
		}
		return filestore.WriteFile(f.path(c, aboutSuffix), append(data, '\n'))
	})
}
