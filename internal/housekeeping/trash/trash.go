// Package trash moves session files to the trash and back, each with the folder
// of its artifacts where it has one, and with the former states that repairs,
// migrations and moves have kept beside it: they hold the same conversation.
//
// Where the system has a trash command, that gets the file; otherwise pith's
// own trash folder does. Only Purge deletes what is in it, one item at a time;
// restoring never overwrites. The package takes regular files only.
//
// # Layout
//
// An item is a folder of the trash folder, named by its id. It holds the file
// and the artifacts under their own names, and info.json. A file that went to
// the system's trash leaves an item with info.json alone.
//
// # Invariants
//
//	T1  At every moment the content is at its old place, at its new place, or
//	    at both. A crash between two steps loses nothing.
//	T2  info.json is durable before the file moves. An item without a file was
//	    broken off; it is not listed. So the file is the first to come, and the
//	    last to leave.
//	T3  Folders are 0700. A file keeps its mode and its time.
//
// Stability: outside the core. Its exported names may still change.
package trash

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/store/filestore"
)

// Options say where the trash is. Dir must be set.
type Options struct {
	// Dir is pith's own trash folder. It is made when it is needed.
	Dir string

	// Command is the system's trash command, a name or a path. It is called
	// with one argument, the absolute path of the file. Empty, or not
	// installed, means that there is none.
	Command string

	// CommandLimit is how long the command may take. Zero means 5 seconds.
	CommandLimit time.Duration

	// To is where Restore puts the file. Empty means where it was.
	To string
}

// A Receipt says what was put into the trash.
type Receipt struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"` // absolute, where the file was
	Time   time.Time `json:"time"` // when it was put into the trash
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"` // in hexadecimal digits
	System bool      `json:"system"` // it is in the system's trash, not in pith's
	// Artifacts says that the folder of its artifacts went with it.
	Artifacts bool `json:"artifacts,omitempty"`
}

var (
	// ErrNotFound says that the trash has no item of that id.
	ErrNotFound = errors.New("not in the trash")

	// ErrSystem says that an item is in the system's trash, out of reach.
	ErrSystem = errors.New("it is in the system's trash; restore it there")
)

// Put moves a file to the trash. A command of the system that takes too long or
// leaves the file where it is counts as none.
//
// A receipt beside an error means that the file is in the trash, but that its
// record there is not up to date, or that not all of its artifacts could follow.
// Without a receipt the file is where it was.
func Put(path string, o Options) (Receipt, error) {
	r, err := put(path, o)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && missing.Path == path {
		err = missing.Err // the file is named once
	}
	if err != nil {
		return r, fmt.Errorf("put %s into the trash: %w", path, err)
	}
	return r, nil
}

func put(path string, o Options) (Receipt, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Receipt{}, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return Receipt{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return Receipt{}, errors.New("it is a symbolic link; name the file that it leads to")
	}
	if !info.Mode().IsRegular() {
		return Receipt{}, errors.New("it is not a regular file")
	}
	size, sum, err := digest(path)
	if err != nil {
		return Receipt{}, err
	}
	dir, has := Artifacts(path)
	backups := Backups(path)
	it, err := newItem(o, Receipt{Path: path, Time: time.Now().UTC(), Size: size, SHA256: sum, Artifacts: has})
	if err != nil {
		return Receipt{}, err
	}
	if runCommand(o, path) {
		it.System = true
		err := it.save()
		if has && !runCommand(o, dir) {
			err = errors.Join(err, fmt.Errorf("the system's trash took it, but not its artifacts; remove them yourself: %s", dir))
		}
		for _, backup := range backups {
			if !runCommand(o, backup) {
				err = errors.Join(err, fmt.Errorf("the system's trash took it, but not its former state; remove that yourself: %s", backup))
			}
		}
		return it.Receipt, err
	}
	if err := artifacts.MoveFile(path, it.file()); err != nil {
		it.remove()
		return Receipt{}, err
	}
	if has {
		if err := it.follow(dir); err != nil {
			return it.Receipt, err
		}
	}
	err = errors.Join(it.takeBackups(backups), it.refresh())
	return it.Receipt, err
}

// refresh corrects the receipt of a file that somebody wrote to until it moved.
func (it *item) refresh() error {
	info, err := os.Stat(it.file())
	if err != nil {
		return err
	}
	if info.Size() == it.Size {
		return nil
	}
	if it.Size, it.SHA256, err = digest(it.file()); err != nil {
		return err
	}
	return it.save()
}

// newItem makes the folder of an item and its info.json.
func newItem(o Options, r Receipt) (*item, error) {
	dir, err := o.dir()
	if err != nil {
		return nil, err
	}
	if err := filestore.MakeFolders(dir); err != nil {
		return nil, err
	}
	for {
		r.ID = newID(r.Time)
		it := &item{Receipt: r, folder: filepath.Join(dir, r.ID)}
		err := os.Mkdir(it.folder, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := errors.Join(it.save(), filestore.SyncFolder(dir)); err != nil {
			it.remove()
			return nil, err
		}
		return it, nil
	}
}

// newID makes an id that sorts by time, and that a person can read and type.
func newID(t time.Time) string {
	return t.Format("20060102-150405-") + strings.ToLower(rand.Text()[:4])
}

func (o Options) dir() (string, error) {
	if o.Dir == "" {
		return "", errors.New("no trash folder is set")
	}
	return filepath.Abs(o.Dir)
}
