package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store/filestore"
)

// RewindParams say what goes back to an entry.
type RewindParams struct {
	Entry string
	// Session is the session whose leaf moves. Nil leaves the conversation as it is.
	Session *pith.Session
	// Past has the files. Nil leaves the files as they are.
	Past *blame.Past
	// Here is the working directory. It must be in the project of the session.
	Here string
	// Only are the files to restore, by the names that Past has for them; all if it is
	// empty. A file that is named here is restored even if it has a conflict.
	Only []string
	// Trash receives the files that are replaced.
	Trash trash.Options
	// Agree is shown the plan before anything changes. It may set Confirmed of files.
	// An error ends Rewind.
	Agree func(ctx context.Context, plan *Rewound) error
}

// A Rewound is the plan and the outcome of Rewind.
type Rewound struct {
	Root  string // directory of the project
	Files []RewoundFile
	// From and To are the entries between which the leaf moved, "" before the first
	// one. Marker is the entry that recorded it.
	From, To, Marker string
}

// A RewoundFile is a file whose content at the entry is another one, or is not known.
type RewoundFile struct {
	Name, Path string // from the root of the project; absolute
	Now, Then  blame.Content
	// Unrecorded says that something which is not recorded changed the file since, and
	// Others are the other sessions that did. Either is a conflict.
	Unrecorded bool
	Others     []catalog.Info
	Confirmed  bool // a person confirmed the conflict
	// Err says why the file cannot be restored.
	Err error
	// Done says that the file was restored, and Trash is the item with its former
	// content, "" if it did not exist.
	Done  bool
	Trash string
}

// Conflict reports whether restoring the file needs a confirmation.
func (f *RewoundFile) Conflict() bool { return f.Unrecorded || len(f.Others) > 0 }

// Restorable reports whether Rewind restores the file.
func (f *RewoundFile) Restorable() bool { return f.Err == nil && (!f.Conflict() || f.Confirmed) }

// Patch returns the difference that restoring the file makes.
func (f *RewoundFile) Patch() []byte { return blame.Patch(f.Name, f.Now, f.Then) }

// Lines returns how many lines restoring the file adds and removes.
func (f *RewoundFile) Lines() (added, removed int) {
	for line := range strings.Lines(string(f.Patch())) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

// Errors of files.
var (
	ErrChangedMeanwhile = errors.New("changed in this moment")
	ErrThroughLink      = errors.New("is below a symbolic link")
)

// A NotChangedError means that the session did not change a file after the entry.
type NotChangedError struct{ Name string }

func (e *NotChangedError) Error() string {
	return fmt.Sprintf("the session did not change %s after this entry", e.Name)
}

// An ElsewhereError means that Rewind runs outside of the project of the session.
type ElsewhereError struct{ Root string }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the session changed files in %s; run this command there", e.Root)
}

// Rewind takes files and the conversation of a session back to an entry: the files
// that the session changed after it get the contents that they had, and the leaf
// moves to it.
//
// A file is replaced in one step or not at all, after a copy of it is in the trash. If
// one cannot be replaced, the rest and the conversation stay as they are. Rewind writes
// no file outside the project or below a symbolic link, and none with a conflict that
// is not confirmed.
func Rewind(ctx context.Context, p RewindParams) (*Rewound, error) {
	r := &Rewound{}
	if p.Session != nil {
		if err := p.Session.Held(ctx); err != nil {
			return r, err
		}
	}
	if p.Past != nil {
		if err := r.plan(ctx, &p); err != nil {
			return r, err
		}
	}
	if err := p.Agree(ctx, r); err != nil {
		return r, err
	}
	for i := range r.Files {
		if f := &r.Files[i]; f.Restorable() {
			if f.Err = f.restore(ctx, &p); f.Err != nil {
				return r, f.Err
			}
		}
	}
	if p.Session == nil {
		return r, nil
	}
	var err error
	r.To = p.Entry
	r.From, r.Marker, err = Branch(ctx, p.Session, p.Entry)
	return r, err
}

// plan lists the files whose contents at the entry are other ones.
func (r *Rewound) plan(ctx context.Context, p *RewindParams) error {
	r.Root = p.Past.Root()
	if rel, err := filepath.Rel(r.Root, p.Here); err != nil || !filepath.IsLocal(rel) {
		return &ElsewhereError{r.Root}
	}
	changed, err := p.Past.ChangedAfter(p.Entry)
	if err != nil {
		return err
	}
	for _, name := range p.Only {
		if !slices.ContainsFunc(changed, func(c blame.Changed) bool { return c.Name == name }) {
			return &NotChangedError{name}
		}
	}
	for i := range changed {
		c := &changed[i]
		named := slices.Contains(p.Only, c.Name)
		if len(p.Only) > 0 && !named {
			continue
		}
		f := RewoundFile{Name: c.Name, Path: c.Path, Confirmed: named}
		var s blame.Standing
		s, f.Err = p.Past.Compare(ctx, c, p.Entry)
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Err == nil && s.Then == s.Now {
			continue
		}
		f.Now, f.Then, f.Unrecorded, f.Others = s.Now, s.Then, s.Unrecorded, s.Others
		if f.Err == nil {
			f.Err = throughLink(r.Root, f.Name)
		}
		r.Files = append(r.Files, f)
	}
	return nil
}

// throughLink returns an error if a directory between the root and a file is a
// symbolic link.
func throughLink(root, name string) error {
	for dir := filepath.Dir(filepath.FromSlash(name)); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(root, dir)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &blame.FileError{Path: filepath.Join(root, filepath.FromSlash(name)), Err: ErrThroughLink}
		}
	}
	return nil
}

// restore gives the file its earlier content.
func (f *RewoundFile) restore(ctx context.Context, p *RewindParams) error {
	root, err := os.OpenRoot(p.Past.Root())
	if err != nil {
		return err
	}
	defer root.Close()
	if err := throughLink(p.Past.Root(), f.Name); err != nil {
		return err
	}
	if now, err := p.Past.Now(&blame.Changed{Path: f.Path, Name: f.Name}); err != nil || now != f.Now {
		return errors.Join(err, &blame.FileError{Path: f.Path, Err: ErrChangedMeanwhile})
	}
	if f.Now.Exists {
		if err := f.keep(ctx, p.Trash); err != nil {
			return err
		}
	}
	if f.Then.Exists {
		err = f.write(root)
	} else {
		err = root.Remove(filepath.FromSlash(f.Name))
	}
	if err != nil {
		if f.Trash != "" { // it has a copy of a file that stays
			err = errors.Join(err, trash.Purge(f.Trash, p.Trash))
			f.Trash = ""
		}
		return fmt.Errorf("restore %s: %w", f.Path, err)
	}
	f.Done = true
	return filestore.SyncFolder(filepath.Dir(f.Path))
}

// keep puts a copy of the file into the trash.
func (f *RewoundFile) keep(ctx context.Context, to trash.Options) error {
	var next []byte
	if f.Then.Exists {
		next = append([]byte{}, f.Then.Text...)
	}
	receipt, err := trash.Keep(ctx, f.Path, next, to)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256([]byte(f.Now.Text)); receipt.SHA256 != hex.EncodeToString(sum[:]) {
		return errors.Join(&blame.FileError{Path: f.Path, Err: ErrChangedMeanwhile}, trash.Purge(receipt.ID, to))
	}
	f.Trash = receipt.ID
	return nil
}

// write replaces the file by its earlier content, or creates it.
func (f *RewoundFile) write(root *os.Root) error {
	name := filepath.FromSlash(f.Name)
	mode, exists := fs.FileMode(0o644), false
	if info, err := root.Lstat(name); err == nil {
		mode, exists = info.Mode().Perm(), true
	}
	if exists != f.Now.Exists {
		return ErrChangedMeanwhile
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(name), ".pith-rewind-"+filepath.Base(name))
	_ = root.Remove(temp) // of a rewind that was killed
	w, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = w.WriteString(f.Then.Text)
	if exists {
		err = errors.Join(err, w.Chmod(mode)) // whatever the umask is
	}
	if err = errors.Join(err, w.Sync(), w.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}

// UndoRewind undoes what [Rewind] did to files. What is in their place now goes to the
// trash.
func UndoRewind(files []RewoundFile, to trash.Options) error {
	var failed []error
	for i := range files {
		f := &files[i]
		if !f.Done {
			continue
		}
		if _, err := trash.Put(f.Path, to); err != nil && (f.Trash == "" || !errors.Is(err, fs.ErrNotExist)) {
			failed = append(failed, err)
		}
		if f.Trash != "" {
			_, err := trash.Restore(f.Trash, to)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// WhyLeft returns why a file cannot be restored, without its path; "" if it can be.
func (f *RewoundFile) WhyLeft() string {
	if f.Err == nil {
		return ""
	}
	if e := (*blame.FileError)(nil); errors.As(f.Err, &e) {
		if errors.Is(f.Err, blame.ErrNotRecorded) {
			return "no record of its content then"
		}
		return e.Err.Error()
	}
	return f.Err.Error()
}
