package ops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

func installing(t *testing.T, home, agent string) ops.InstallParams {
	t.Helper()
	return ops.InstallParams{
		Agent: agent, Environment: sessiondir.Environment{Home: home, Getenv: func(string) string { return "" }}, Program: "/bin/pith", Arguments: []string{"mcp"},
		Trash: trash.Options{Dir: filepath.Join(home, "trash")}, Agree: func(context.Context, *ops.Installed) error { return nil },
	}
}

// filesIn returns the files below a directory, without the trash.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "trash" {
			return filepath.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			out[strings.TrimPrefix(path, dir)] = string(data)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every agent gets the server once, with the hook if it has one, and loses both.
func TestInstall(t *testing.T) {
	for _, agent := range ops.Clients() {
		t.Run(agent, func(t *testing.T) {
			home := t.TempDir()
			p := installing(t, home, agent)
			p.Recall = true
			r, err := ops.Install(t.Context(), p)
			if errors.As(err, new(*ops.NoHookError)) {
				p.Recall = false
				r, err = ops.Install(t.Context(), p)
			}
			if err != nil || len(r.Files) == 0 || !r.Files[0].Done {
				t.Fatalf("Install = %+v, %v", r, err)
			}
			text := ""
			for _, content := range filesIn(t, home) {
				text += content
			}
			recalls := strings.Contains(text, "recall --hook") || strings.Contains(text, `"recall": true`)
			if !strings.Contains(text, "/bin/pith") || recalls != p.Recall {
				t.Errorf("files are %s", text)
			}
			if r, err = ops.Install(t.Context(), p); err != nil || len(r.Files) != 0 {
				t.Errorf("Install again = %+v, %v; want no change", r.Files, err)
			}
			p.Program, p.Arguments = "/opt/pith", []string{"mcp", "--all"}
			if r, err = ops.Install(t.Context(), p); err != nil || len(r.Files) == 0 {
				t.Errorf("Install of another pith = %+v, %v", r, err)
			}
			p.Remove = true
			if r, err = ops.Install(t.Context(), p); err != nil || len(r.Files) == 0 {
				t.Errorf("Remove = %+v, %v", r, err)
			}
			for name, content := range filesIn(t, home) {
				if strings.Contains(content, "pith") {
					t.Errorf("%s is %q after Remove", name, content)
				}
			}
			if r, err = ops.Install(t.Context(), p); err != nil || len(r.Files) != 0 {
				t.Errorf("Remove again = %+v, %v; want no change", r.Files, err)
			}
		})
	}
}

// A configuration keeps its other settings, mode, comments and mark; the former one is
// in the trash, and Remove gives its bytes back.
func TestInstallKeeps(t *testing.T) {
	for agent, test := range map[string]struct{ file, text string }{
		"gemini":   {".gemini/settings.json", "\ufeff// mine\r\n{\r\n\t\"theme\": \"x\", // dark\r\n}\r\n"},
		"claude":   {".claude.json", `{"numStartups":3,"mcpServers":{"other":{"command":"x"}}}`},
		"codex":    {".codex/config.toml", "model = \"m\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n"},
		"opencode": {".config/opencode/opencode.jsonc", "{\n  // servers\n  \"mcp\": {\n    \"other\": {} // theirs\n  }\n}\n"},
	} {
		t.Run(agent, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, filepath.FromSlash(test.file))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(test.text), 0o640), os.Chmod(path, 0o640)); err != nil {
				t.Fatal(err)
			}
			p := installing(t, home, agent)
			r, err := ops.Install(t.Context(), p)
			if err != nil || len(r.Files) != 1 {
				t.Fatalf("Install = %+v, %v", r, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v; want it kept", info.Mode(), err)
			}
			if kept, err := trash.File(r.Files[0].Trash, p.Trash); err != nil {
				t.Error(err)
			} else if data, err := os.ReadFile(kept); err != nil || string(data) != test.text {
				t.Errorf("the trash has %q, %v", data, err)
			}
			p.Remove = true
			if _, err := ops.Install(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != test.text {
				t.Errorf("after Remove: %q, %v; want %q", data, err, test.text)
			}
		})
	}
}

// What cannot be changed safely is refused in one line, and nothing changes, not even
// the file of the server if only that of the hook is bad.
func TestInstallRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		agent   string
		prepare func(t *testing.T, home string)
	}{
		"invalid JSON":               {"claude", file(".claude.json", "{", 0o600)},
		"comments where none are":    {"claude", file(".claude.json", "{} // x", 0o600)},
		"another shape":              {"claude", file(".claude.json", `{"mcpServers":[]}`, 0o600)},
		"invalid TOML":               {"codex", file(".codex/config.toml", "a = \n", 0o600)},
		"an inline table":            {"codex", file(".codex/config.toml", "mcp_servers = { pith = { command = \"x\" } }\n", 0o600)},
		"read-only":                  {"claude", file(".claude.json", "{}", 0o400)},
		"bad hooks":                  {"claude", file(".claude/settings.json", "{", 0o600)},
		"a directory":                {"claude", func(t *testing.T, home string) { file(".claude.json/x", "x", 0o600)(t, home) }},
		"a link":                     {"claude", linkTo("dotfiles/claude.json", ".claude.json", "{}")},
		"a directory that is a link": {"gemini", linkTo("dotfiles", ".gemini", "")},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			test.prepare(t, home)
			was := filesIn(t, home)
			p := installing(t, home, test.agent)
			p.Recall = true
			_, err := ops.Install(t.Context(), p)
			if !errors.As(err, new(*ops.ConfigError)) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Install = %v; want a ConfigError in one line", err)
			}
			now := filesIn(t, home)
			if len(now) != len(was) {
				t.Errorf("files %v; want %v", now, was)
			}
			for name, text := range was {
				if now[name] != text {
					t.Errorf("%s is %q; want %q", name, now[name], text)
				}
			}
		})
	}
	home := t.TempDir()
	file(".claude.json", "{}", 0o600)(t, home)
	p := installing(t, home, "claude")
	p.Agree = func(context.Context, *ops.Installed) error {
		file(".claude.json", `{"a":1}`, 0o600)(t, home)
		return nil
	}
	if _, err := ops.Install(t.Context(), p); !errors.Is(err, ops.ErrChangedMeanwhile) {
		t.Errorf("Install = %v; want ErrChangedMeanwhile", err)
	}
	if _, err := ops.Install(t.Context(), installing(t, home, "emacs")); !errors.As(err, new(*ops.UnknownAgentError)) {
		t.Errorf("Install = %v; want an UnknownAgentError", err)
	}
}

func file(name, text string, mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
	}
}

// linkTo makes a link to a file, or to a directory if text is empty.
func linkTo(target, name, text string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		if text != "" {
			file(target, text, 0o600)(t, home)
		} else if err := os.MkdirAll(filepath.Join(home, target), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(home, filepath.FromSlash(target)), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
}
