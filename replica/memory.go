package replica

import (
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
	_, err := os.Stat(path)
	return err == nil
}

func (m *Memory) took(r Replica, path string) {
	if m.Taken == nil {
		m.Taken = map[string]Taking{}
	}
	m.changed = m.changed || m.Taken[r.log()] != Taking{r.Size, path}
	m.Taken[r.log()] = Taking{r.Size, path}
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
func (m *Memory) Save(path string) error {
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
	if err := filestore.WithDirLock(filepath.Dir(path), func() error { return filestore.WriteFile(path, data) }); err != nil {
		return err
	}
	m.changed = false
	return nil
}
