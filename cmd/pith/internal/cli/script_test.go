package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

// atOnce keeps a process that is checked for races from waiting a second before
// it ends.
const atOnce = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", atOnce); err != nil {
		panic(err) // the name is valid
	}
	testscript.Main(m, map[string]func(){
		"pith":     func() { os.Exit(cli.Main()) },
		"measured": measured,
	})
}

// TestScripts runs testdata/script: one file for each behavior. Every script
// starts in an empty project, with empty home and data directories, and finds
// the sessions of testdata/sessions in $SESSIONS. A short run has every command
// once.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	if testing.Short() {
		files = everyCommandOnce(t, files)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		Setup:               setUpScript,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"tear":  tear,
			"line":  line,
			"exit":  exitCode,
			"safe":  safe,
			"model": model,
			"asked": asked,
		},
	})
}

var commandOfScript = regexp.MustCompile(`\b(?:exec|exit \d+) pith ([a-z]+)`)

// everyCommandOnce chooses small scripts that together run every command that the
// scripts run.
func everyCommandOnce(t *testing.T, files []string) []string {
	texts := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	slices.SortStableFunc(files, func(a, b string) int { return len(texts[a]) - len(texts[b]) })
	seen := map[string]bool{}
	return slices.DeleteFunc(files, func(name string) bool {
		before := len(seen)
		for _, m := range commandOfScript.FindAllStringSubmatch(texts[name], -1) {
			seen[m[1]] = true
		}
		return len(seen) == before
	})
}

func setUpScript(env *testscript.Env) error {
	sessions := filepath.Join(env.WorkDir, "sessions")
	if err := os.CopyFS(sessions, os.DirFS("testdata/sessions")); err != nil {
		return err
	}
	for _, dir := range []string{"home", "data"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o700); err != nil {
			return err
		}
	}
	env.Setenv("SESSIONS", sessions)
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("USERPROFILE", filepath.Join(env.WorkDir, "home"))
	env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
	env.Setenv("TZ", "UTC")
	env.Setenv("PID", strconv.Itoa(os.Getpid())) // of a process that runs
	env.Setenv("GORACE", atOnce)
	env.Values[modelKey{}] = &scriptModel{}
	return nil
}

// tear FILE N cuts N bytes off the end of a file, which txtar cannot say.
func tear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tear FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()-n))
}

// line N NAME puts line N of the last standard output into a variable.
func line(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: line N NAME")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	lines := strings.Split(ts.ReadFile("stdout"), "\n")
	if n < 1 || n > len(lines) {
		ts.Fatalf("line %d: the output has %d lines", n, len(lines))
	}
	ts.Setenv(args[1], lines[n-1])
}

// exit CODE COMMAND... runs a command, which must end with that code and, if it
// is not 0, with one line on standard error that begins with pith.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("%s ended with %s, want %s", strings.Join(args[1:], " "), code, args[0])
	}
	told := ts.ReadFile("stderr")
	if code != "0" && (!strings.HasPrefix(told, "pith: ") || strings.Count(told, "\n") != 1) {
		ts.Fatalf("%s printed this for an error, want one line:\n%s", strings.Join(args[1:], " "), told)
	}
}

// safe fails if the last output holds anything that a terminal would obey. Tabs
// are permitted with -tabs, for what a shell reads.
func safe(ts *testscript.TestScript, neg bool, args []string) {
	tabs := len(args) == 1 && args[0] == "-tabs"
	for _, stream := range []string{"stdout", "stderr"} {
		for _, r := range ts.ReadFile(stream) {
			if isHarmful(r) && !(tabs && r == '\t') {
				ts.Fatalf("%s holds %U", stream, r)
			}
		}
	}
}

// isHarmful repeats what package plain promises, independently of it.
func isHarmful(r rune) bool {
	return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
