package sessiondir_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

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

// pith's own folder is where XDG_DATA_HOME says, and where the system keeps such
// folders without it.
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
