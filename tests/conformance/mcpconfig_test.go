//go:build unix

package conformance_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	others "github.com/pith-sessions/pith/tests/interop/programs"
)

// The configuration that pith mcp --print-config prints is accepted by the real
// programs: they list the server, and those that try it say that it is connected.
func TestProgramsTakeThePrintedConfiguration(t *testing.T) {
	dir, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		file      string // where the text goes; "" for a command to run
		connected string // the answer of a program that starts the server
	}{
		"claude":   {connected: "Connected"},
		"codex":    {file: ".codex/config.toml"}, // its list starts nothing
		"opencode": {file: ".config/opencode/opencode.json", connected: "connected"},
		"gemini":   {file: ".gemini/settings.json", connected: "Connected"},
	} {
		t.Run(name, func(t *testing.T) {
			stage := others.Require(t, name)
			print := exec.CommandContext(t.Context(), filepath.Join(dir, "pith"), "mcp", "--all", "--print-config", name)
			print.Env = append(os.Environ(), "HOME="+stage.Home)
			out, err := print.Output()
			if err != nil {
				t.Fatal(err)
			}
			printed := string(out)
			switch {
			case test.file == "":
				words := strings.Fields(printed)
				if words[0] != name {
					t.Fatalf("printed %q, want a command of %s", printed, name)
				}
				stage.Run("", words[1:]...)
			case strings.HasSuffix(test.file, ".json"):
				mergeJSON(t, filepath.Join(stage.Home, test.file), printed)
			default:
				had, err := os.ReadFile(filepath.Join(stage.Home, test.file))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(stage.Home, test.file), append(had, printed...), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			list := stage.Run("", "mcp", "list")
			if !strings.Contains(list, "pith") || !strings.Contains(list, test.connected) || strings.Contains(strings.ToLower(list), "disconnected") {
				t.Errorf("%s mcp list = %s\nwant pith, %s", name, list, test.connected)
			}
		})
	}
}

// mergeJSON adds the members of an object to those of a file.
func mergeJSON(t *testing.T, file, more string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var had, added map[string]any
	if err := json.Unmarshal(data, &had); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(more), &added); err != nil {
		t.Fatalf("%v: %s", err, more)
	}
	maps.Copy(had, added)
	if data, err = json.Marshal(had); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
