package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Mirror stores the translated sessions of one root of a program as files:
// <session ID>.jsonl, with the modification time of the original. The files can
// be made again and must not be written by anything else.
type Mirror struct {
	Program Program
	Root    string
	Dir     string
}

// stateName is the file that records what the others were made from.
const stateName = ".state.json"

// state records what a mirror was made from. A translation of another version
// is made again.
type state struct {
	Version  int              `json:"version"`
	Root     string           `json:"root,omitempty"` // see RootStamper
	Sessions map[string]Stamp `json:"sessions"`
}

// Version is the version of translations. It increases with every change that
// gives different lines for the same bytes.
const Version = 4

// Refresh updates the mirror from the root. A session that cannot be read is
// named by the error; the others are updated.
func (m *Mirror) Refresh(ctx context.Context) error {
	saved := m.state()
	now := state{Version: Version}
	if p, ok := m.Program.(RootStamper); ok {
		if now.Root = p.RootStamp(m.Root); now.Root != "" && now.Root == saved.Root {
			return nil
		}
	}
	sessions, err := m.Program.Sessions(ctx, m.Root)
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	now.Sessions = make(map[string]Stamp, len(sessions))
	for _, s := range sessions {
		now.Sessions[s.ID] = s.Stamp
	}
	if now.Root == saved.Root && maps.Equal(saved.Sessions, now.Sessions) {
		return err // usual: nothing is written, and no lock is needed
	}
	return errors.Join(err, filestore.WithDirLock(ctx, m.Dir, func() error { return m.bring(ctx, sessions, err == nil, &now) }))
}

// bring translates changed sessions, removes those that are gone if the list is
// complete, and saves the new state. It runs under a lock, because a file and
// its state belong together.
func (m *Mirror) bring(ctx context.Context, sessions []Session, complete bool, now *state) error {
	saved := m.state()
	was := saved.Sessions
	listed := make(map[string]bool, len(sessions))
	var stale []Session
	for _, s := range sessions {
		listed[s.ID] = true
		stamp, ok := was[s.ID]
		if ok && stamp == s.Stamp {
			_, err := os.Stat(m.Path(s.ID))
			ok = err == nil
		}
		if !ok || stamp != s.Stamp {
			stale = append(stale, s)
		}
	}
	var failed []error
	if len(stale) > 0 {
		failed = append(failed, m.update(ctx, stale, now))
	}
	for id, stamp := range was {
		if listed[id] {
			continue
		}
		if complete {
			if err := os.Remove(m.Path(id)); err == nil || errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		now.Sessions[id], now.Root = stamp, "" // it is tried again
	}
	if !complete {
		now.Root = ""
	}
	if now.Root != saved.Root || !maps.Equal(was, now.Sessions) {
		failed = append(failed, m.save(now))
	}
	return errors.Join(failed...)
}

// update translates the sessions that changed. Those that fail are left out of
// the state, so that they are tried again.
func (m *Mirror) update(ctx context.Context, stale []Session, now *state) error {
	var failed []error
	done := 0
	for err := range parallel.InOrder(ctx, len(stale), func(ctx context.Context, _ *struct{}, i int) error { return m.translate(ctx, stale[i]) }) {
		if err != nil {
			failed = append(failed, fmt.Errorf("%s session %s: %w", m.Program.Title(), stale[done].ID, err))
			delete(now.Sessions, stale[done].ID)
			now.Root = ""
		}
		done++
	}
	for _, s := range stale[done:] {
		delete(now.Sessions, s.ID)
		now.Root = ""
	}
	return errors.Join(append(failed, ctx.Err())...)
}

// translate writes the file of one session. If the error is that of
// [Writer.Damaged], there is a file.
func (m *Mirror) translate(ctx context.Context, s Session) error {
	f, err := os.CreateTemp(m.Dir, ".pith-tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // does nothing after the rename
	w := NewWriter(f, m.Program.Name())
	w.parent = m.Path
	err = m.Program.Translate(ctx, s, w)
	if err := errors.Join(err, w.Close(), f.Close()); err != nil {
		return err
	}
	if !s.Modified.IsZero() {
		if err := os.Chtimes(f.Name(), s.Modified, s.Modified); err != nil {
			return err
		}
	}
	if err := publish(f.Name(), m.Path(s.ID)); err != nil {
		return err
	}
	return w.damaged
}

// publish gives a translation its name. Nobody may write to it: it is replaced
// when the original changes.
func publish(temp, path string) error {
	if runtime.GOOS == "windows" { // where a read-only file cannot be replaced
		_ = os.Chmod(path, 0o600) // a new one does not exist yet
	}
	if err := os.Chmod(temp, 0o400); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// Of updates the mirror and returns the translation of the one session in an
// original file, or "" if there is none, or several as in a database.
func (m *Mirror) Of(ctx context.Context, original string) (path string) {
	_ = m.Refresh(ctx)                             // the readable ones are there
	sessions, _ := m.Program.Sessions(ctx, m.Root) // and the listed ones
	for _, s := range sessions {
		if real, err := filepath.EvalSymlinks(s.Path); err != nil || real != original {
			continue
		}
		if path != "" {
			return ""
		}
		path = m.Path(s.ID)
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Path returns the file of the session with that ID.
func (m *Mirror) Path(id string) string { return filepath.Join(m.Dir, fileName(id)+format.FileSuffix) }

func (m *Mirror) state() (s state) {
	data, err := os.ReadFile(filepath.Join(m.Dir, stateName))
	if err != nil || json.Unmarshal(data, &s) != nil || s.Version != Version {
		return state{}
	}
	return s
}

func (m *Mirror) save(s *state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	temp := filepath.Join(m.Dir, stateName+".new")
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(m.Dir, stateName))
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// fileName returns an ID as a file name: itself, or a name that is equally
// unique.
func fileName(id string) string {
	if plainName.MatchString(id) && !strings.HasSuffix(id, format.FileSuffix) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "x" + hex.EncodeToString(sum[:])
}
