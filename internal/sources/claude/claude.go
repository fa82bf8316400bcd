// Package claude reads the sessions of Claude Code: one JSONL file for each, a
// tree of lines linked by UUIDs, with the transcripts of subagents in a
// directory with the session's name.
package claude

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

// Program is Claude Code.
type Program struct{}

func (Program) Name() string  { return "claude" }
func (Program) Title() string { return "Claude Code" }

func (Program) Roots(e sources.Environment) []string {
	return e.Root("CLAUDE_CONFIG_DIR", ".claude", "projects")
}

// RetentionSetting implements [sources.Deleter].
func (Program) RetentionSetting() string { return "cleanupPeriodDays in ~/.claude/settings.json" }

// Retention implements [sources.Deleter]: Claude Code deletes transcripts after
// the number of days in its setting, 30 by default.
func (p Program) Retention(e sources.Environment) (time.Duration, bool) {
	days := int64(30)
	for _, root := range p.Roots(e) {
		data, err := sources.ReadFile(filepath.Join(filepath.Dir(root), "settings.json"))
		if set := sources.ObjectOf(data); err == nil && set.Raw("cleanupPeriodDays") != nil {
			days = min(max(set.Int("cleanupPeriodDays"), 0), 36500)
		}
	}
	return time.Duration(days) * 24 * time.Hour, true
}

func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	l := lister{taken: map[string]bool{}}
	projects, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, project := range projects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if project.IsDir() {
			l.project(filepath.Join(root, project.Name()))
		}
	}
	return l.sessions, errors.Join(l.failed...)
}

// A lister collects the sessions of a root.
type lister struct {
	sessions []sources.Session
	taken    map[string]bool
	failed   []error
}

func (l *lister) project(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		l.failed = append(l.failed, err)
		return
	}
	ids := map[string]string{} // of the sessions here, by the name of their directory
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), format.FileSuffix); ok {
			ids[name] = l.add(filepath.Join(dir, e.Name()), name, "", e)
			if n := len(l.sessions) - 1; ids[name] != "" && isArchived(filepath.Join(dir, name)) {
				l.sessions[n].Stamp.Mark = archived
			}
		}
	}
	for _, e := range entries {
		if parent := ids[e.Name()]; parent != "" && e.IsDir() {
			l.subagents(filepath.Join(dir, e.Name(), "subagents"), parent)
		}
	}
}

// archived is the Stamp.Mark of an archived session.
const archived = "archived"

// isArchived reports whether the session with that directory is archived.
func isArchived(dir string) bool {
	data, err := sources.ReadFile(filepath.Join(dir, "archived.json"))
	return err == nil && sources.ObjectOf(data).Bool("archived")
}

func (l *lister) subagents(dir, parent string) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.failed = append(l.failed, err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), format.FileSuffix); ok {
			l.add(filepath.Join(dir, e.Name()), parent+"."+name, parent, e)
		}
	}
}

// add adds a file and returns its ID here, or "" if it is not a session. The
// same ID in two projects means two sessions.
func (l *lister) add(path, id, parent string, e fs.DirEntry) string {
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if l.taken[id] {
		id = path
	}
	l.taken[id] = true
	s := sources.FileSession(id, path, info)
	s.Parent = parent
	l.sessions = append(l.sessions, s)
	return id
}
