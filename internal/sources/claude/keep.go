package claude

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/running"
	"github.com/pith-sessions/pith/internal/sources"
)

// Belongings implements [sources.Remover]: the directory with the session's name.
func (Program) Belongings(_ context.Context, _ string, s sources.Session) (sources.Belongings, error) {
	if s.Parent != "" {
		return sources.Belongings{}, &sources.PartError{Of: s.Parent}
	}
	return sources.Belongings{Also: []string{strings.TrimSuffix(s.Path, format.FileSuffix)}}, nil
}

// Rename implements [sources.Namer]. Claude Code takes the last title in the file,
// and an empty one for none. It also keeps one beside the session, for when that is
// far from the end.
func (Program) Rename(_ context.Context, _ string, s sources.Session, name string, _ time.Time) ([]sources.Change, error) {
	if s.Parent != "" {
		return nil, &sources.PartError{Of: s.Parent}
	}
	id := uuidOf(s.Path)
	line, err := json.Marshal(title{"custom-title", name, id})
	if err != nil {
		return nil, err
	}
	var changes []sources.Change
	beside := filepath.Join(filepath.Dir(s.Path), id, "custom-title.json")
	if _, err := os.Lstat(beside); err == nil {
		text, err := json.Marshal(struct {
			Title string `json:"customTitle"`
		}{name})
		if err != nil {
			return nil, err
		}
		changes = append(changes, sources.Change{Path: beside, Replace: text})
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return append(changes, sources.Change{Path: s.Path, Append: append(line, '\n')}), nil
}

// A title is the record of a name.
type title struct {
	Type    string `json:"type"`
	Title   string `json:"customTitle"`
	Session string `json:"sessionId"`
}

// uuidOf returns the ID of a session as Claude Code knows it.
func uuidOf(path string) string { return strings.TrimSuffix(filepath.Base(path), format.FileSuffix) }

// Holder implements [sources.Holder]: each running Claude Code has a file that
// names its session. It does not keep the session's file open.
func (Program) Holder(_ context.Context, root string, s sources.Session) int {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(root), "sessions", "*.json")) // a bad pattern finds none
	for _, file := range files {
		data, err := sources.ReadFile(file)
		if err != nil {
			continue
		}
		o := sources.ObjectOf(data)
		if pid := int(o.Int("pid")); o.Text("sessionId") == uuidOf(s.Path) && running.Alive(pid) {
			return pid
		}
	}
	return 0
}
