// Package gemini reads the chats of Gemini CLI. A chat is a JSONL file that
// logs updates: a message replaces the one with its ID, a $set replaces members
// of the chat, including all messages, and a $rewindTo removes a message and
// those after it. The abandoned branches are still in the log.
package gemini

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

// Program is Gemini CLI.
type Program struct{}

func (Program) Name() string  { return "gemini" }
func (Program) Title() string { return "Gemini CLI" }

func (Program) Roots(e sources.Environment) []string {
	return e.Root("GEMINI_CLI_HOME", "", ".gemini", "tmp")
}

// RetentionSetting implements [sources.Deleter].
func (Program) RetentionSetting() string {
	return "general.sessionRetention in ~/.gemini/settings.json"
}

// Retention implements [sources.Deleter]: the setting is the number of hours,
// days, weeks or months after which chats are deleted, 30 days by default.
func (p Program) Retention(e sources.Environment) (time.Duration, bool) {
	for _, root := range p.Roots(e) {
		data, err := sources.ReadFile(filepath.Join(filepath.Dir(root), "settings.json"))
		if err != nil {
			continue
		}
		set := sources.ObjectOf(data).Object("general").Object("sessionRetention")
		if set.Raw("enabled") != nil && !set.Bool("enabled") {
			return 0, false
		}
		age := set.Text("maxAge")
		if age == "" {
			continue
		}
		unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour, 'm': 30 * 24 * time.Hour}[age[len(age)-1]]
		if n, err := strconv.ParseUint(age[:len(age)-1], 10, 12); err == nil && unit > 0 {
			return time.Duration(n) * unit, true
		}
	}
	return 30 * 24 * time.Hour, true
}

func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	projects, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var out []sources.Session
	var failed []error
	for _, project := range projects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !project.IsDir() {
			continue
		}
		chats := filepath.Join(root, project.Name(), "chats")
		err := sources.Files(ctx, chats, &failed, func(path string, info fs.FileInfo) error {
			name, ok := strings.CutSuffix(info.Name(), format.FileSuffix)
			if !ok {
				return nil
			}
			s := sources.FileSession(project.Name()+"."+name, path, info)
			if parent := filepath.Base(filepath.Dir(path)); parent != "chats" {
				s.Parent = parentOf(chats, project.Name(), parent)
				s.ID = project.Name() + "." + parent + "." + name
			}
			out = append(out, s)
			return nil
		})
		failed = append(failed, err)
	}
	return out, errors.Join(failed...)
}

// parentOf returns the chat with an ID: its file name ends in the first eight
// digits.
func parentOf(chats, project, id string) string {
	if len(id) < 8 {
		return ""
	}
	entries, _ := os.ReadDir(chats) // without it the parent is unknown
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), "-"+id[:8]+format.FileSuffix); ok {
			return project + "." + name + "-" + id[:8]
		}
	}
	return ""
}
