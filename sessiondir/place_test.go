package sessiondir_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/pith-sessions/pith/sessiondir"
)

// Where sessions go, by the settings of pith, of the project and of pi.
func TestPlaceFollowsSettings(t *testing.T) {
	root := t.TempDir()
	home, cwd, config := filepath.Join(root, "home"), filepath.Join(root, "project"), filepath.Join(root, "config")
	e := sessiondir.Environment{Home: home, Getenv: func(name string) string {
		if name == "XDG_CONFIG_HOME" {
			return config
		}
		return ""
	}}
	// Each file goes before those above it.
	steps := []struct {
		file, text string
		want       sessiondir.Place
	}{
		{"", "", sessiondir.Place{Dir: filepath.Join(home, ".pi", "agent", "sessions")}},
		{filepath.Join(home, ".pi", "agent", "settings.json"), `{"sessionDir":"~/all"}`, sessiondir.Place{Dir: filepath.Join(home, "all"), Flat: true}},
		{filepath.Join(cwd, ".pi", "settings.json"), `{"sessionDir":"kept"}`, sessiondir.Place{Dir: filepath.Join(cwd, "kept"), Flat: true}},
		{filepath.Join(config, "pith", "settings.json"), `{"sessionDir":7}`, sessiondir.Place{Dir: filepath.Join(cwd, "kept"), Flat: true}},
		{filepath.Join(config, "pith", "settings.json"), `{"sessionDir":"~/own"}`, sessiondir.Place{Dir: filepath.Join(home, "own"), Flat: true}},
	}
	for _, step := range steps {
		if step.file != "" {
			if err := os.MkdirAll(filepath.Dir(step.file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(step.file, []byte(step.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := e.Place(cwd); got != step.want {
			t.Errorf("Place() with %s in %s = %+v, want %+v", step.text, step.file, got, step.want)
		}
	}
}

// New sessions go where the user works: to Atomic if its variables are set, or if it has
// the newest session of the project; otherwise to pi where there is pi.
func TestPlaceFollowsTheUser(t *testing.T) {
	const cwd = "/src/app"
	now := time.Now()
	for name, tt := range map[string]struct {
		pi, atomic time.Time // of the newest session; zero for none
		env        map[string]string
		want       string
	}{
		"neither has sessions":    {want: ".pi/agent/sessions"},
		"Atomic's are newer":      {pi: now.Add(-time.Hour), atomic: now, want: ".atomic/agent/sessions"},
		"pi's are newer":          {pi: now, atomic: now.Add(-time.Hour), want: ".pi/agent/sessions"},
		"Atomic's folder is set":  {pi: now, env: map[string]string{"ATOMIC_CODING_AGENT_DIR": "~/at"}, want: "at/sessions"},
		"Atomic's sessions are":   {pi: now, env: map[string]string{"ATOMIC_CODING_AGENT_SESSION_DIR": "~/as"}, want: "as"},
		"pi's folder is set too":  {atomic: now, env: map[string]string{"ATOMIC_CODING_AGENT_DIR": "~/at", "PI_CODING_AGENT_DIR": "~/p"}, want: "p/sessions"},
		"pith's sessions are set": {env: map[string]string{"ATOMIC_CODING_AGENT_DIR": "~/at", "PITH_SESSION_DIR": "~/own"}, want: "own"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for program, at := range map[string]time.Time{".pi": tt.pi, ".atomic": tt.atomic} {
				dir := sessiondir.Place{Dir: filepath.Join(home, program, "agent", "sessions")}.For(cwd)
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if at.IsZero() {
					continue
				}
				file := filepath.Join(dir, "2026-02-03T10-00-00-000Z_s.jsonl")
				if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chtimes(file, at, at)); err != nil {
					t.Fatal(err)
				}
			}
			e := sessiondir.Environment{Home: home, Getenv: func(name string) string { return tt.env[name] }}
			if got, want := e.Place(cwd).Dir, filepath.Join(home, filepath.FromSlash(tt.want)); got != want {
				t.Errorf("Place = %s; want %s", got, want)
			}
		})
	}
}

// pith's own directory is in XDG_DATA_HOME, or in the system's usual place
// without it.
func TestDataDir(t *testing.T) {
	home, data := filepath.Join(t.TempDir(), "home"), t.TempDir()
	for said, want := range map[string]string{data: filepath.Join(data, "pith"), "relative": filepath.Join(home, ".local", "share", "pith")} {
		if said != data && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") {
			continue // these have places of their own
		}
		e := sessiondir.Environment{Home: home, Getenv: func(name string) string {
			return map[string]string{"XDG_DATA_HOME": said}[name]
		}}
		if got := e.DataDir(); got != want {
			t.Errorf("DataDir() with XDG_DATA_HOME=%s = %q, want %q", said, got, want)
		}
	}
}
