package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Memory is what a machine knows from earlier pushes and pulls. Without it nothing
// goes wrong: more is read and compared. The zero value knows nothing.
type Memory struct {
	// Taken is the size of each copy when it was last pulled, and into which file.
	Taken map[string]Taking `json:"taken,omitempty"`
	// Given is what each file was when it was last pushed.
	Given map[string]Giving `json:"given,omitempty"`

	changed bool // since it was loaded or saved
}

// A Taking is a copy that was pulled.
type Taking struct {
	Size int64  `json:"size"`
	Path string `json:"path"`
	// Length and Modified are what the file was then, Tail is a hash of its last bytes.
	// A file only grows; where it did not, an older state of it came back, and it may
	// lack what was pulled.
	Length   int64  `json:"length"`
	Modified int64  `json:"modified"`
	Tail     string `json:"tail"`
}

// A Giving is a file that was pushed.
type Giving struct {
	Session  string `json:"session"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	// Replica is the name and size of the log.
	Replica string `json:"replica"`
	Pushed  int64  `json:"pushed"`
	// Policy is how secrets were replaced.
	Policy string `json:"redacted,omitempty"`
}

func (m *Memory) has(r Replica, path string) bool {
	k, ok := m.Taken[r.log()]
	if !ok || k.Size != r.Size || k.Path != path {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() < k.Length {
		return false
	}
	return info.Size() == k.Length && info.ModTime().UnixNano() == k.Modified || tailOf(path, k.Length) == k.Tail
}

func (m *Memory) took(r Replica, path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	if m.Taken == nil {
		m.Taken = map[string]Taking{}
	}
	now := Taking{r.Size, path, info.Size(), info.ModTime().UnixNano(), tailOf(path, info.Size())}
	m.changed = m.changed || m.Taken[r.log()] != now
	m.Taken[r.log()] = now
}

// tailOf is a hash of the bytes before an offset of a file; "" when they cannot be read.
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

// forget forgets a copy that was pulled.
func (m *Memory) forget(r Replica) {
	delete(m.Taken, r.log())
	m.changed = true
}

// Had are the sessions that this machine pushed or pulled at any time: one that is not
// there any more was deleted.
func (m *Memory) Had() map[string]bool {
	had := map[string]bool{}
	for _, g := range m.Given {
		had[g.Session] = true
	}
	for name := range m.Taken {
		if r, ok := parse(store.Info{Name: name}); ok {
			had[r.Session] = true
		}
	}
	return had
}

// Unchanged reports whether a file is what it was when it was pushed, and the copy too, by
// the same policy.
func (m *Memory) Unchanged(path, policy string, r Replica) bool {
	g, ok := m.Given[path]
	info, err := os.Stat(path)
	return ok && err == nil && g == giving(info, policy, r)
}

// Gave remembers a file as it was before it was pushed.
func (m *Memory) Gave(path, policy string, before fs.FileInfo, r Replica) {
	if m.Given == nil {
		m.Given = map[string]Giving{}
	}
	m.changed = m.changed || m.Given[path] != giving(before, policy, r)
	m.Given[path] = giving(before, policy, r)
}

func giving(file fs.FileInfo, policy string, r Replica) Giving {
	return Giving{r.Session, file.Size(), file.ModTime().UnixNano(), r.log(), r.Size, policy}
}

// LoadMemory reads a file that Save wrote. One that is missing or cannot be read is an
// empty memory.
func LoadMemory(path string) *Memory {
	m := &Memory{}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, m) != nil {
		return &Memory{}
	}
	return m
}

// Save writes the memory to a file. If nothing changed, the file only becomes as new as
// if it had been written.
func (m *Memory) Save(ctx context.Context, path string) error {
	if path == "" {
		return errors.New("no file for what was pushed and pulled")
	}
	if now := time.Now(); !m.changed && os.Chtimes(path, now, now) == nil {
		return nil
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := filestore.WithDirLock(ctx, filepath.Dir(path), func() error { return filestore.WriteFile(path, data) }); err != nil {
		return err
	}
	m.changed = false
	return nil
}
