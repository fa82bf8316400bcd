package replica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Memory holds a machine's records of earlier pushes and pulls. It saves
// work: without it, more is read and compared, and sessions pulled from other
// people count as one's own. The zero value is empty.
type Memory struct {
	// Pulls holds the pulled copies, by the names of their logs.
	Pulls map[string]PullRecord `json:"taken,omitempty"`
	// Pushes holds the pushed files, by path.
	Pushes map[string]PushRecord `json:"given,omitempty"`
	// Origins maps each file that a pull created to the person it came from.
	Origins map[string]string `json:"origins,omitempty"`

	recent *Memory // records since the last load or save; nil for none
	kept   int     // number of JSON values in the loaded file; 0 if it must be rewritten
}

// mostKept is how many JSON values a file may have before it is rewritten.
const mostKept = 200

// record sets a value in a map of the memory and of its recent records.
func record[V comparable](m *Memory, which func(*Memory) *map[string]V, key string, value V) {
	if old, known := (*which(m))[key]; known && old == value {
		return
	}
	if m.recent == nil {
		m.recent = &Memory{}
	}
	for _, to := range []*map[string]V{which(m), which(m.recent)} {
		if *to == nil {
			*to = map[string]V{}
		}
		(*to)[key] = value
	}
}

// A PullRecord describes a copy that was pulled and the file that it was pulled into.
type PullRecord struct {
	Size int64  `json:"size"` // size of the copy
	Path string `json:"path"`
	// Length and Modified are those of the file at that time, and Tail is a
	// hash of its last bytes. A file only grows; if it did not, an older
	// version was restored, which may lack the pulled entries.
	Length   int64  `json:"length"`
	Modified int64  `json:"modified"`
	Tail     string `json:"tail"`
}

// A PushRecord describes a file that was pushed and the copy that it was pushed
// to.
type PushRecord struct {
	Session  string `json:"session"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"`
	Replica  string `json:"replica"` // name of the log
	Pushed   int64  `json:"pushed"`  // length of the log
	// Policy is the redaction policy.
	Policy string `json:"redacted,omitempty"`
}

// pulled reports whether a copy of that size was pulled into a file that still
// has it.
func (m *Memory) pulled(r Replica, path string) bool {
	k, ok := m.Pulls[r.Log()]
	if !ok || k.Size != r.Size || k.Path != path {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() < k.Length {
		return false
	}
	return info.Size() == k.Length && info.ModTime().UnixNano() == k.Modified || tailOf(path, k.Length) == k.Tail
}

func (m *Memory) recordOrigin(path, person string) {
	record(m, func(m *Memory) *map[string]string { return &m.Origins }, path, person)
}

func (m *Memory) recordPull(r Replica, path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	now := PullRecord{r.Size, path, info.Size(), info.ModTime().UnixNano(), tailOf(path, info.Size())}
	record(m, func(m *Memory) *map[string]PullRecord { return &m.Pulls }, r.Log(), now)
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

func (m *Memory) forget(r Replica) {
	delete(m.Pulls, r.Log())
	m.recent, m.kept = &Memory{}, 0
}

// Had returns the sessions that this machine ever pushed or pulled. A missing
// one was deleted.
func (m *Memory) Had() map[string]bool {
	had := map[string]bool{}
	for _, g := range m.Pushes {
		had[g.Session] = true
	}
	for name := range m.Pulls {
		if r, ok := parse(store.Info{Name: name}); ok {
			had[r.Session] = true
		}
	}
	return had
}

// Unchanged reports whether a file and its copy have not changed since the file
// was pushed with the same policy.
func (m *Memory) Unchanged(path, policy string, r Replica) bool {
	g, ok := m.Pushes[path]
	info, err := os.Stat(path)
	return ok && err == nil && g == pushRecord(info, policy, r)
}

// RecordPush records that a file was pushed, given its state before the push.
func (m *Memory) RecordPush(path, policy string, before fs.FileInfo, r Replica) {
	record(m, func(m *Memory) *map[string]PushRecord { return &m.Pushes }, path, pushRecord(before, policy, r))
}

func pushRecord(file fs.FileInfo, policy string, r Replica) PushRecord {
	return PushRecord{r.Session, file.Size(), file.ModTime().UnixNano(), r.Log(), r.Size, policy}
}

// LoadMemory reads a file that Save wrote. A missing or unreadable file is an
// empty memory.
func LoadMemory(path string) *Memory {
	m := &Memory{}
	data, err := os.ReadFile(path)
	if err != nil {
		return m
	}
	for values := json.NewDecoder(bytes.NewReader(data)); ; m.kept++ {
		if err := values.Decode(m); errors.Is(err, io.EOF) {
			return m
		} else if err != nil { // an interrupted write
			m.kept = 0
			return m
		}
	}
}

// Save writes the memory to a file. If nothing changed, it only updates the
// modification time. If little changed since it was loaded, it appends only
// that: a line of JSON whose records replace earlier ones.
func (m *Memory) Save(ctx context.Context, path string) error {
	if path == "" {
		return errors.New("no file to record pushes and pulls in")
	}
	if now := time.Now(); m.recent == nil && os.Chtimes(path, now, now) == nil {
		return nil
	}
	err := filestore.WithDirLock(ctx, filepath.Dir(path), func() error {
		if m.kept > 0 && m.kept < mostKept && m.recent != nil && m.recent.appendTo(path) == nil {
			m.kept++
			return nil
		}
		data, err := json.Marshal(m)
		if err == nil {
			err = filestore.WriteFile(path, append(data, '\n'))
		}
		m.kept = 1
		return err
	})
	if err == nil {
		m.recent = nil
	}
	return err
}

func (m *Memory) appendTo(path string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(data, '\n')); err == nil && len(m.Pulls) > 0 { // a lost push costs only time
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
