// Package codex reads the threads of Codex. A thread is one or more JSONL
// files, called rollouts. A rollout that was forked or rewound from another
// contains only the new part: it names the other rollout and the byte at which
// it continues from it.
package codex

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// Program is Codex.
type Program struct{}

func (Program) Name() string  { return "codex" }
func (Program) Title() string { return "Codex" }

// Roots implements [sources.Program]. A root is Codex's home: rollouts refer to
// each other across its directories.
func (Program) Roots(e sources.Environment) []string {
	return e.Root("CODEX_HOME", ".codex")
}

// Sessions implements [sources.Program]. A thread is one session, however many
// rollouts it has.
func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	rollouts, err := rolloutsOf(ctx, root)
	if cause := ctx.Err(); cause != nil {
		return nil, cause
	}
	names := threadNames(root)
	var out []sources.Session
	l := newListing(rollouts)
	for _, files := range l.threads {
		last := files[len(files)-1]
		s := sources.Session{ID: last.thread, Path: last.path, Listing: l, Stamp: sources.Stamp{Mark: names[last.thread]}}
		for _, f := range files {
			s.Stamp.Size += f.size
			s.Stamp.Time = max(s.Stamp.Time, f.modified.UnixNano())
			if f.modified.After(s.Modified) {
				s.Modified = f.modified
			}
		}
		out = append(out, s)
	}
	return out, err
}

// A rollout is a file of a thread.
type rollout struct {
	path   string
	thread string
	id     string // ID of the rollout; that of the thread for its first one
	stamp  string // the time in its name

	size     int64
	modified time.Time
}

var rolloutName = regexp.MustCompile(`^rollout-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-([0-9a-fA-F-]{36})(?:_([0-9a-fA-F-]{36}))?\.jsonl(?:\.zst)?$`)

// rolloutsOf finds the rollouts of a home, including archived ones.
func rolloutsOf(ctx context.Context, home string) ([]rollout, error) {
	var out []rollout
	var failed []error
	for _, dir := range []string{"sessions", "archived_sessions"} {
		err := sources.Files(ctx, filepath.Join(home, dir), &failed, func(path string, info fs.FileInfo) error {
			if m := rolloutName.FindStringSubmatch(info.Name()); m != nil {
				out = append(out, rollout{
					path: path, stamp: m[1], thread: m[2], id: cmp.Or(m[3], m[2]), size: info.Size(), modified: info.ModTime(),
				})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, errors.Join(failed...)
}

// A listing holds the rollouts of a home.
type listing struct {
	byID    map[string]rollout
	threads map[string][]rollout
	bases   bases
}

func newListing(rollouts []rollout) *listing {
	l := &listing{byID: make(map[string]rollout, len(rollouts)), threads: byThread(rollouts)}
	for _, r := range rollouts {
		l.byID[r.id] = r
	}
	return l
}

// Single returns the session in one rollout, wherever it is and whatever its name
// is. Rollouts that it continues are not read.
func (Program) Single(s sources.Session) sources.Session {
	s.Listing = newListing([]rollout{{path: s.Path, thread: s.ID, id: s.ID, size: s.Stamp.Size, modified: s.Modified}})
	return s
}

// byThread groups rollouts by their thread, the oldest first. The newest is the one
// that Codex continues.
func byThread(rollouts []rollout) map[string][]rollout {
	out := map[string][]rollout{}
	for _, r := range rollouts {
		out[r.thread] = append(out[r.thread], r)
	}
	for _, files := range out {
		slices.SortStableFunc(files, func(a, b rollout) int {
			return cmp.Or(strings.Compare(a.stamp, b.stamp), strings.Compare(a.id, b.id))
		})
	}
	return out
}

// threadNames returns the names that users gave to threads; of several the last
// counts.
func threadNames(home string) map[string]string {
	data, err := sources.ReadFile(filepath.Join(home, indexName))
	if err != nil {
		return nil
	}
	names := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if jsonl.Valid([]byte(line)) && jsonl.KindOf([]byte(line)) == '{' {
			names[jsonl.LookupString([]byte(line), "id")] = jsonl.LookupString([]byte(line), "thread_name")
		}
	}
	return names
}
