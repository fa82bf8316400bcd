package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store/filestore"
)

// indexName is the file with the names of threads.
const indexName = "session_index.jsonl"

// bases returns the rollouts that others continue, by ID, each with one of those.
type bases struct {
	once sync.Once
	by   map[string]rollout
}

func (b *bases) of(ctx context.Context, l *listing) map[string]rollout {
	b.once.Do(func() {
		b.by = map[string]rollout{}
		for _, r := range l.byID {
			base := ""
			_ = lines(ctx, r.path, 0, func(l *line) error { // one that cannot be read continues none
				if l.kind == "session_meta" {
					base = l.payload.Object("history_base").Text("thread_id")
				}
				return errEnd
			})
			if base != "" {
				b.by[base] = r
			}
		}
	})
	return b.by
}

// Belongings implements [sources.Remover]: all rollouts of a thread and its names.
// A thread that another one continues is needed.
func (Program) Belongings(ctx context.Context, root string, s sources.Session) (sources.Belongings, error) {
	l, ok := s.Listing.(*listing)
	if !ok {
		return sources.Belongings{}, errors.New("the rollouts of the thread are not known")
	}
	continued := l.bases.of(ctx, l)
	b := sources.Belongings{LinesOf: filepath.Join(root, indexName)}
	for _, r := range l.threads[s.ID] {
		if by, ok := continued[r.id]; ok && by.thread != s.ID {
			return b, &sources.NeededError{By: by.thread}
		}
		if r.path != s.Path {
			b.Also = append(b.Also, r.path)
		}
	}
	data, err := sources.ReadFile(b.LinesOf)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	for line := range bytes.Lines(data) {
		if jsonl.Valid(line) && jsonl.KindOf(line) == '{' && jsonl.LookupString(line, "id") == s.ID {
			b.Lines = append(b.Lines, line)
		}
	}
	return b, ctx.Err()
}

// Rename implements [sources.Namer]. Codex adds a line to the index of names, and
// keeps a copy of the name in the database from which it lists threads.
func (Program) Rename(_ context.Context, root string, s sources.Session, name string, now time.Time) ([]sources.Change, error) {
	if name == "" {
		return nil, sources.ErrNoClear
	}
	line, err := json.Marshal(named{s.ID, name, now.UTC().Format(time.RFC3339Nano)})
	if err != nil {
		return nil, err
	}
	changes := []sources.Change{{Path: filepath.Join(root, indexName), Append: append(line, '\n')}}
	for _, database := range databases(root) {
		changes = append(changes, sources.Change{Path: database, Do: func(ctx context.Context) error {
			return sources.UpdateSQLite(ctx, database, "UPDATE threads SET name = ? WHERE id = ?", name, s.ID)
		}})
	}
	return changes, nil
}

// named is the record of a name.
type named struct {
	ID      string `json:"id"`
	Name    string `json:"thread_name"`
	Updated string `json:"updated_at"`
}

// databases returns the database with the list of threads, of which a newer Codex
// makes one with a higher number.
func databases(root string) []string {
	var found []string
	paths, _ := filepath.Glob(filepath.Join(root, "state_*.sqlite")) // a bad pattern finds none
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			found = append(found, path)
		}
	}
	return found
}

// Holder implements [sources.Holder]: Codex, and the daemon that it leaves running,
// keep a lock file open for each thread that they write.
func (Program) Holder(ctx context.Context, root string, s sources.Session) int {
	pid, _ := filestore.Writer(ctx, filepath.Join(root, "thread-writer-locks", s.ID+".lock"))
	return pid
}
