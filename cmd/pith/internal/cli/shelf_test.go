package cli_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// Every member that the commands for projects, marks and space print is in
// docs/reference/json.md.
func TestDocumentNamesMembersOfHousekeeping(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := sessionsCopy(t)
	d := desk{env: map[string]string{"XDG_DATA_HOME": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}}
	for _, args := range [][]string{
		{"usage", "--by", "session"}, {"ls", "--projects"}, {"mark", "--json", "build speed", "+x"}, {"mark"},
		{"gc", "--older-than", "1d"}, {"move", "/home/u/proj", t.TempDir()},
	} {
		args = append([]string{"--session-dir", dir}, args...)
		if args[2] != "mark" || len(args) == 3 {
			args = append(args, "--json")
		}
		code, stdout, stderr := d.run(t, args...)
		var v any
		if err := json.Unmarshal([]byte(stdout), &v); code != 0 || err != nil {
			t.Errorf("pith %q = %d, %v, %s", args, code, err, stderr)
		}
		for name := range members(v, "lines", "messages") {
			if !regexp.MustCompile("[`\" {]" + name + "[`\",}]").Match(text) {
				t.Errorf("docs/reference/json.md does not name the member %q of pith %q", name, args)
			}
		}
	}
}

// On a terminal the sums are drawn as bars, no line is wider than the terminal,
// and nothing that a session holds reaches it raw (pitfall 143).
func TestUsageChart(t *testing.T) {
	dir := sessionsCopy(t)
	for _, width := range []int{20, 40, 60, 80, 200} {
		d := desk{terminal: true, width: width, env: map[string]string{"NO_COLOR": "1"}}
		for _, args := range [][]string{{"usage"}, {"usage", "--by", "session"}, {"ls", "--projects"}, {"gc", "--older-than", "1h", "--include-named"}} {
			if args[0] == "gc" {
				d.env["XDG_STATE_HOME"] = t.TempDir()
			}
			code, stdout, stderr := d.run(t, append(args, "--session-dir", dir)...)
			if code != 0 {
				t.Errorf("pith %q = %d, %s", args, code, stderr)
			}
			if args[0] == "usage" && width >= 60 && !strings.Contains(stdout, "██") {
				t.Errorf("pith %q at %d columns: no bars in\n%s", args, width, stdout)
			}
			for line := range strings.Lines(stdout) {
				line = strings.TrimSuffix(line, "\n")
				if w := termsafe.Width(line); w > width || strings.ContainsFunc(line, isHarmful) {
					t.Errorf("pith %q at %d columns: %d cells: %q", args, width, w, line)
				}
			}
		}
	}
}

// A user at a terminal sees the progress; none of it remains, and a script sees
// nothing.
func TestWaitingIsShown(t *testing.T) {
	dir := sessionsCopy(t)
	for _, args := range [][]string{{"search", "zzzqqq"}, {"doctor", "--reindex"}, {"doctor", "--all"}, {"usage"}, {"ls", "--all"}} {
		for _, terminal := range []bool{true, false} {
			var seconds atomic.Int64 // each look at the clock takes one
			now := func() time.Time {
				return time.Date(2026, 2, 4, 10, 0, 0, 0, time.UTC).Add(time.Duration(seconds.Add(1)) * time.Second)
			}
			d := desk{terminal: terminal, width: 90, now: now, env: map[string]string{"NO_COLOR": "1", "PITH_SESSION_DIR": dir, "PITH_CACHE_DIR": t.TempDir()}}
			_, _, stderr := d.run(t, args...)
			if shown := strings.Contains(stderr, "=] "); shown != terminal {
				t.Errorf("pith %q with terminal %t shows %q", args, terminal, stderr)
			}
			if at := strings.LastIndexByte(stderr, '\r'); at >= 0 && strings.Contains(stderr[at:], "=]") {
				t.Errorf("pith %q leaves %q on the screen", args, stderr[at:])
			}
		}
	}
}
