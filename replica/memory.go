package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Memory holds a machine's records of earlier pushes and pulls. It saves
// work: without it, more is read and compared, and sessions deleted here are
// pulled again. LoadMemory makes one.
type Memory struct {
	// Pulls holds the pulled copies, by their names.
	Pulls map[string]PullRecord `json:"pulls"`
	// Pushes holds the pushed files, by path.
	Pushes map[string]PushRecord `json:"pushes"`

	changed bool
}

// A PullRecord describes a copy that was pulled and the file that it was pulled
// into.
type PullRecord struct {
	Session string `json:"session"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256"` // of the copy
	// Length is that of the file at that time, and Tail is a hash of its last
	// bytes. A file only grows; if it did not, an older version was restored,
	// which may lack the pulled entries.
	Length int64  `json:"length"`
	Tail   string `json:"tail"`
}

// A PushRecord describes a file that was pushed and its copy after that.
type PushRecord struct {
	Session  string `json:"session"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	Copy     string `json:"copy"`
	Stored   int64  `json:"stored"`
	Stamp    int64  `json:"stamp,omitempty"`
	SHA256   string `json:"sha256"`
	Policy   string `json:"redacted,omitempty"`
}

// pulled reports whether a copy was pulled into a file that still has it.
func (m *Memory) pulled(c Copy, path string) bool {
	k, ok := m.Pulls[c.Name()]
	if !ok || k.SHA256 != c.SHA256 || k.Path != path {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Size() >= k.Length && tailOf(path, k.Length) == k.Tail
}

func (m *Memory) recordPull(c Copy, path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	m.Pulls[c.Name()] = PullRecord{c.Session, path, c.SHA256, info.Size(), tailOf(path, info.Size())}
	m.changed = true
}

// tailOf returns a hash of the bytes before an offset of a file, or "" if they
// cannot be read.
func tailOf(path string, end int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	tail := make([]byte, min(end, 512))
	if _, err := f.ReadAt(tail, end-int64(len(tail))); err != nil {
		return ""
	}
	sum := sha256.Sum256(tail)
	return hex.EncodeToString(sum[:8])
}

// Had returns the sessions that this machine ever pushed or pulled. A missing
// one was deleted.
func (m *Memory) Had() map[string]bool {
	had := map[string]bool{}
	for _, p := range m.Pushes {
		had[p.Session] = true
	}
	for _, p := range m.Pulls {
		had[p.Session] = true
	}
	return had
}

// Unchanged reports whether a file and this machine's copy of its session have
// not changed since the file was pushed with this policy.
func (t *Team) Unchanged(path, session string, l *Listing) bool {
	c, there := l.of(t.Person, t.Machine, session)
	info, err := foreign.Stat(path)
	return there && err == nil && t.Memory.Pushes[path] == pushRecord(info, t.Policy, c)
}

// RecordPush records that a file was pushed, given its state before the push.
func (m *Memory) RecordPush(path, policy string, before fs.FileInfo, c Copy) {
	m.Pushes[path] = pushRecord(before, policy, c)
	m.changed = true
}

func pushRecord(file fs.FileInfo, policy string, c Copy) PushRecord {
	return PushRecord{c.Session, file.Size(), file.ModTime().UnixNano(), c.Name(), c.Stored, c.Stamp, c.SHA256, policy}
}

// LoadMemory reads a file that Save wrote. A missing or unreadable file, or "",
// is an empty memory.
func LoadMemory(path string) *Memory {
	m := &Memory{}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, m) != nil || m.Pulls == nil || m.Pushes == nil {
		return &Memory{Pulls: map[string]PullRecord{}, Pushes: map[string]PushRecord{}}
	}
	return m
}

// Save adds the records to those in a file, which other commands may write too.
// It does nothing for "".
func (m *Memory) Save(ctx context.Context, path string) error {
	if !m.changed || path == "" {
		return nil
	}
	err := filestore.WithDirLock(ctx, filepath.Dir(path), func() error {
		all := LoadMemory(path)
		maps.Copy(all.Pulls, m.Pulls)
		maps.Copy(all.Pushes, m.Pushes)
		data, err := json.Marshal(all)
		if err != nil {
			return err
		}
		return filestore.WriteFile(path, append(data, '\n'))
	})
	m.changed = err != nil
	return err
}
