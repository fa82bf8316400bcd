// Package trash moves session files to the trash and back, each with its
// artifacts directory, if it has one, and with the backups that repairs,
// migrations and moves left next to it: they contain the same conversation.
//
// If the system has a trash command, it receives the file; otherwise pith's own
// trash directory does. Only Purge deletes its contents, one item at a time;
// restoring never overwrites. The package accepts only regular files.
//
// A session of another agent can have more: see [Set]. It goes to pith's own
// trash and back as a whole, to the same place.
//
// # Layout
//
// An item is a subdirectory of the trash directory, named by its id. It
// contains the file and the artifacts under their own names, and info.json. A
// file in the system's trash has an item with only info.json. The other files
// of a set are in subdirectories with/0, with/1 and so on; its lines are in
// info.json.
//
// # Invariants
//
//	T1  At every moment the content is at its old path, at its new path, or at
//	    both. A crash between two steps loses nothing.
//	T2  info.json is durable before the file moves. An item without a file was
//	    interrupted; it is not listed. So the file arrives first and leaves last.
//	T3  Put and Restore, repeated after a crash, complete what was begun. A copy
//	    on another device gets its name when it is complete; then the original
//	    goes. One that is found next to its original is such a copy.
//	T4  Directories are 0700. A file keeps its mode and its time.
package trash

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
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

// Options configure the trash. Dir must be set.
type Options struct {
	// Dir is pith's own trash directory. It is created when needed.
	Dir string

	// Command is the system's trash command, a name or a path. It is called
	// with one argument, the absolute path of the file. If it is empty or not
	// installed, pith's own trash is used.
	Command string

	// CommandLimit is the time limit of the command. Zero means 5 seconds.
	CommandLimit time.Duration

	// To is the path to which Restore moves the file. Empty means its old path.
	To string
}

// A Receipt describes a file in the trash.
type Receipt struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"` // absolute old path of the file
	Time   time.Time `json:"time"` // when it was moved to the trash
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"` // in hexadecimal
	System bool      `json:"system"` // it is in the system's trash, not in pith's
	// Artifacts means that its artifacts directory moved with it.
	Artifacts bool `json:"artifacts,omitempty"`
	// Replaced is the SHA-256 of the content that another program wrote in place of
	// the file. Restore takes that content away again. "" means that the file is gone.
	Replaced string `json:"replaced,omitempty"`
	// Set describes the session of another agent; nil for any other file.
	Set *SetReceipt `json:"set,omitempty"`
}

var (
	// ErrNotFound means that the trash has no item with that id.
	ErrNotFound = errors.New("not in the trash")

	// ErrSystem means that an item is in the system's trash, which pith cannot
	// access.
	ErrSystem = errors.New("it is in the system trash; restore it there")
)

// Put moves a file to the trash. If the system's command takes too long or
// leaves the file in place, pith's own trash is used.
//
// A receipt together with an error means that the file is in the trash, but its
// record there is out of date, or not all of its artifacts could be moved.
// Without a receipt the file is at its old path.
func Put(path string, o Options) (Receipt, error) {
	r, err := put(path, o)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && missing.Path == path {
		err = missing.Err // the file is named once
	}
	if err != nil {
		return r, fmt.Errorf("move %s to the trash: %w", path, err)
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
		return Receipt{}, errors.New("it is a symbolic link; use its target")
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
	it, err := itemFor(o, Receipt{Path: path, Time: time.Now().UTC(), Size: size, SHA256: sum, Artifacts: has})
	if err != nil {
		return Receipt{}, err
	}
	if runCommand(o, path) {
		it.System = true
		err := it.save()
		if has && !runCommand(o, dir) {
			err = errors.Join(err, fmt.Errorf("moved to the system trash without its artifacts; remove them yourself: %s", dir))
		}
		for _, backup := range backups {
			if !runCommand(o, backup) {
				err = errors.Join(err, fmt.Errorf("moved to the system trash without its backup; remove it yourself: %s", backup))
			}
		}
		return it.Receipt, err
	}
	if err := it.take(); err != nil {
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

// take moves the file into the item, which it removes after an error.
func (it *item) take() error {
	from, to := it.unit()
	move := artifacts.MoveFile
	if from != it.Path {
		move = artifacts.Move
	}
	err := move(from, to)
	if err != nil && !it.hasFile() {
		it.remove()
	}
	return err
}

// Keep puts a copy of a file into pith's own trash before the caller replaces its
// content by next, or removes the file if next is nil. Unlike Put it leaves
// artifacts and backups alone.
func Keep(ctx context.Context, path string, next []byte, o Options) (Receipt, error) {
	r, err := keep(ctx, path, next, o)
	if err != nil {
		return Receipt{}, fmt.Errorf("keep %s in the trash: %w", path, err)
	}
	return r, nil
}

func keep(ctx context.Context, path string, next []byte, o Options) (Receipt, error) {
	size, sum, err := digest(path)
	if err != nil {
		return Receipt{}, err
	}
	r := Receipt{Path: path, Time: time.Now().UTC(), Size: size, SHA256: sum}
	if next != nil {
		sum := sha256.Sum256(next)
		r.Replaced = hex.EncodeToString(sum[:])
	}
	it, err := itemFor(o, r)
	if err != nil {
		return Receipt{}, err
	}
	if it.hasFile() { // a Keep was interrupted after it
		return it.Receipt, nil
	}
	if err := artifacts.CopyFile(ctx, path, it.file()); err != nil {
		it.remove()
		return Receipt{}, err
	}
	return it.Receipt, nil
}

// refresh corrects the receipt of a file that was written to until it moved.
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

// itemFor returns the item of a Put of the same file that was interrupted, or else
// a new one.
func itemFor(o Options, r Receipt) (*item, error) {
	dir, err := o.dir()
	if err != nil {
		return nil, err
	}
	if err := filestore.MakeFolders(dir); err != nil {
		return nil, err
	}
	suffix := idSuffix(r.Path)
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if !strings.HasSuffix(f.Name(), suffix) {
			continue
		}
		it, err := load(filepath.Join(dir, f.Name()))
		if err != nil || it.Path != r.Path || it.System || it.hasFile() && !artifacts.IsCopy(r.Path, it.file()) {
			continue
		}
		r.ID, r.Artifacts = it.ID, r.Artifacts || it.Artifacts
		it.Receipt = r
		return it, it.save()
	}
	return newItem(dir, suffix, r)
}

// idSuffix returns the end of the IDs of the items of a path.
func idSuffix(path string) string {
	sum := sha256.Sum256([]byte(path))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:4])
}

// newItem creates the directory of an item and its info.json.
func newItem(dir, suffix string, r Receipt) (*item, error) {
	for ; ; suffix = strings.ToLower(rand.Text()[:4]) {
		// The id sorts by time, and a person can read and type it.
		r.ID = r.Time.Format("20060102-150405-") + suffix
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

func (o Options) dir() (string, error) {
	if o.Dir == "" {
		return "", errors.New("no trash directory is set")
	}
	return filepath.Abs(o.Dir)
}
