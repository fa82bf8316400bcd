package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal, export offers to replace the home directory, and takes no for
// an answer. Where nobody can answer, it does not ask.
func TestExportOffersIdentity(t *testing.T) {
	t.Setenv("HOME", "/home/juniper")
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/juniper/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"look into /home/juniper/p/log"}}
`
	for _, test := range []struct {
		name, answers string
		terminal      bool
		flags         []string
		asks, gone    bool
	}{
		{"accepted", "y\ny\n", true, nil, true, true},
		{"declined", "n\n", true, nil, true, false},
		{"no terminal", "", false, nil, false, false},
		{"flag", "", false, []string{"--identity", "--yes"}, false, true},
		{"yes", "", true, []string{"--yes"}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			d := desk{terminal: test.terminal, cwd: dir, stdin: strings.NewReader(test.answers)}
			code, _, stderr := d.run(t, append([]string{"export", "s.jsonl", "-o", "out.jsonl"}, test.flags...)...)
			if asked := strings.Contains(stderr, "also replace your identity (home"); code != 0 || asked != test.asks {
				t.Fatalf("export ended with %d; asked: %v, want %v: %s", code, asked, test.asks, stderr)
			}
			out, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if gone := !strings.Contains(string(out), "juniper"); gone != test.gone {
				t.Errorf("the home directory is gone: %v; want %v\n%s", gone, test.gone, out)
			}
		})
	}
}
