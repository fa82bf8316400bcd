package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/store"
)

// Replace replaces the content of a file. The old file is not modified: it is
// kept under the backup name, if there is one, otherwise until its last handle
// is closed.
func (s *Store) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	const op = "replace"
	l, ok := old.(*fileLog)
	if !ok {
		return nil, errors.New("replace: the log belongs to another store")
	}
	if backup != "" {
		if err := checkName("back up to", backup); err != nil {
			return nil, err
		}
	}
	// Checked again under the lock. This check avoids calling fill in vain.
	if err := l.replaceable(ctx, size); err != nil {
		return nil, fault(op, l.name, err)
	}
	real, err := filepath.EvalSymlinks(l.name)
	if err != nil {
		return nil, fault(op, l.name, err)
	}
	t, err := s.newTemp(filepath.Dir(real), fill.Until(ctx))
	if err != nil {
		return nil, fault(op, l.name, err)
	}
	defer t.discard()
	if err := s.exchange(ctx, l, size, t, backup); err != nil {
		return nil, fault(op, l.name, err)
	}
	return t.log(s, l.name)
}

func (l *fileLog) replaceable(ctx context.Context, size int64) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	defer l.use.RUnlock()
	if l.readOnly != nil {
		return l.readOnly
	}
	return l.check(size)
}

// exchange replaces old with t, if old is size bytes long, and keeps old under
// the backup name, if there is one. It holds the lock of old during the
// exchange; t was locked when it was made.
func (s *Store) exchange(ctx context.Context, old *fileLog, size int64, t *temp, backup string) error {
	if err := old.beginWrite(ctx); err != nil {
		return err
	}
	defer old.endWrite()
	if err := old.check(size); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(old.name)
	if err != nil {
		return err
	}
	if err := adoptMode(t.file, old.file); err != nil {
		return err
	}
	if backup != "" {
		if err := s.backUp(ctx, old, real, size, backup); err != nil {
			return err
		}
	}
	if err := t.takeName(real, old.id); err != nil {
		if backup != "" {
			_ = os.Remove(backup) // the file itself has its name, or was taken away
		}
		return err
	}
	if err := errors.Join(SyncFolder(filepath.Dir(real)), s.carryOver(old, size, t)); err != nil {
		t.file.Close()
		return fmt.Errorf("the new content is in place, but not complete or not durable: %w", bare(err))
	}
	return nil
}

// takeName gives t the name of the file old, which must be the one at that name.
// A program without locks may take that file away at any time. If the system can
// exchange two names in one step, takeName then returns store.ErrGone and leaves
// the name as that program left it.
func (t *temp) takeName(name string, old identity) error {
	err := exchangeNames(t.path, name)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		if err := renameOver(t.path, name); err != nil {
			return err
		}
		t.kept = true
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: the file no longer exists", store.ErrGone)
	case err != nil:
		return err
	}
	t.kept = true
	if there, err := factsAt(t.path); err != nil || there.id != old {
		if err := exchangeNames(t.path, name); err != nil {
			return fmt.Errorf("%w: another file replaced it, which is now %s: %w", store.ErrGone, t.path, err)
		}
		t.kept = false
		return fmt.Errorf("%w: another file replaced it", store.ErrGone)
	}
	_ = os.Remove(t.path) // the old file; Leftovers finds it
	return nil
}

// backUp gives the file at path a second name, or copies it if the file system
// has no hard links. If the file already has that name, from an exchange
// interrupted by a crash, backUp does nothing.
func (s *Store) backUp(ctx context.Context, old *fileLog, path string, size int64, backup string) error {
	dir := filepath.Dir(backup)
	if err := MakeFolders(dir); err != nil {
		return err
	}
	err := s.system.link(path, backup)
	switch {
	case err == nil:
		return SyncFolder(dir)
	case errors.Is(err, fs.ErrExist):
		if there, err := factsAt(backup); err == nil && there.id == old.id {
			return nil
		}
		return fmt.Errorf("back up to %s: %w", backup, store.ErrExist)
	case !cannotLink(err):
		return fmt.Errorf("back up to %s: %w", backup, bare(err))
	}
	t, err := s.newTemp(dir, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(old.file, 0, size))
		return err
	})
	if err != nil {
		return fmt.Errorf("back up to %s: %w", backup, bare(err))
	}
	defer t.discard()
	if err := s.publish(ctx, t, backup); err != nil {
		return fmt.Errorf("back up to %s: %w", backup, bare(err))
	}
	t.kept = true
	return errors.Join(adoptMode(t.file, old.file), t.file.Close())
}

// looks are the pauses before each look at the old file in carryOver:
// immediately, and until a program suspended between opening and writing it has
// continued.
var looks = [...]time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 75 * time.Millisecond}

// carryOver appends to t the bytes that programs without locks have written to
// the old file since it was checked. Such a program opens the file by name for
// each write, so it opened the old file before the rename and writes soon
// after.
func (s *Store) carryOver(old *fileLog, size int64, t *temp) error {
	for _, pause := range looks {
		s.system.wait(pause)
		now, err := factsOf(old.file)
		if err != nil {
			return err
		}
		if now.size <= size {
			continue
		}
		_, err = io.Copy(t.file, io.NewSectionReader(old.file, size, now.size-size))
		if err == nil {
			err = s.system.sync(t.file)
		}
		if err != nil {
			return fmt.Errorf("carry over %d bytes that another program wrote in the meantime: %w", now.size-size, err)
		}
		size = now.size
	}
	return nil
}
