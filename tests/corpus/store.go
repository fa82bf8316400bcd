package corpus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/tests/testcache"
)

// StoreOptions describe the number and size of sessions.
type StoreOptions struct {
	Seed     uint64
	Sessions int   // zero means 1000
	Bytes    int64 // of all sessions together; zero means 500 MB
	Projects int   // zero means 20
}

func (o StoreOptions) withDefaults() StoreOptions {
	if o.Sessions == 0 {
		o.Sessions = 1000
	}
	if o.Bytes == 0 {
		o.Bytes = 500_000_000
	}
	if o.Projects == 0 {
		o.Projects = 20
	}
	return o
}

// Store fills dir, as if it were pi's sessions directory, with project
// directories and session files under pi's names. A few sessions are large and
// most are small, every third has a name, every tenth a parent. A file's
// modification time is a minute after its session's start, so that lists sorted
// by it are the same everywhere.
func Store(dir string, o StoreOptions) error {
	o = o.withDefaults()
	r := &random{state: mix64(o.Seed ^ 0x53746f7265)}
	shares := make([]float64, o.Sessions)
	total := 0.0
	for i := range shares {
		shares[i] = sessionShares.at(r.unit())
		total += shares[i]
	}
	start := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	last := make([]string, o.Projects) // newest session file of each project
	for i := range o.Sessions {
		project := r.below(o.Projects)
		start = start.Add(time.Duration(r.between(60_000, 36_000_000)) * time.Millisecond)
		s := Options{
			Seed:  r.next(),
			Bytes: int64(shares[i] / total * float64(o.Bytes)),
			Cwd:   projectCwd(project),
			Start: start,
		}
		if i%3 == 0 {
			s.Name = fillSlots(r, "{area}: {thing} and {thing}")
		}
		if i%10 == 9 {
			s.ParentSession = last[project]
		}
		if s.Bytes > 1_500_000 {
			s.CompactEvery, s.Branches, s.Labels = 700, 3, 2
		}
		path := filepath.Join(dir, ProjectFolder(s.Cwd), FileName(s.Start, s.withDefaults().ID))
		if err := writeStored(path, s); err != nil {
			return fmt.Errorf("make store %s: %w", dir, err)
		}
		last[project] = path
	}
	return nil
}

func writeStored(path string, o Options) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := WriteFile(path, o); err != nil {
		return err
	}
	modified := o.Start.Add(time.Minute)
	return os.Chtimes(path, modified, modified)
}

func projectCwd(project int) string {
	names := slots["thing"]
	return fmt.Sprintf("/home/dev/src/%s-%02d", names[project%len(names)], project)
}

// ProjectFolder returns pi's name for the directory of a project's sessions.
func ProjectFolder(cwd string) string {
	if strings.HasPrefix(cwd, "/") || strings.HasPrefix(cwd, `\`) {
		cwd = cwd[1:]
	}
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(cwd) + "--"
}

// FileName returns pi's name for the file of a session.
func FileName(start time.Time, id string) string {
	return start.UTC().Format("2006-01-02T15-04-05-") + fmt.Sprintf("%03dZ_%s.jsonl", start.Nanosecond()/1e6, id)
}

// CachedStore returns a sessions directory with the store of the zero
// StoreOptions: 1,000 sessions, 500 MB, 20 projects. The directory is made once
// and shared. Tests must not change it. Its name is sessions, so that its
// parent can serve as pi's agent directory.
func CachedStore(ctx context.Context) (string, error) {
	dir, err := testcache.Folder(ctx, cacheName("store"), func(_ context.Context, dir string) error {
		return Store(filepath.Join(dir, "sessions"), StoreOptions{})
	})
	return filepath.Join(dir, "sessions"), err
}
