package settings_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/settings"
)

// A desk is a user with a home, a project and files in them.
type desk struct {
	home, cwd string
	env       map[string]string
}

func newDesk(t *testing.T, files map[string]string) desk {
	t.Helper()
	root := t.TempDir()
	d := desk{home: filepath.Join(root, "home"), cwd: filepath.Join(root, "project"), env: map[string]string{}}
	d.env["XDG_CONFIG_HOME"] = filepath.Join(root, "config")
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d desk) where() settings.Where {
	return settings.Where{
		Getenv: func(name string) string { return d.env[name] },
		Home:   d.home, AgentDir: filepath.Join(d.home, ".pi", "agent"), Cwd: d.cwd,
	}
}

// The names of the files, below the root of a desk.
const (
	userFile    = "home/.pi/agent/settings.json"
	projectFile = "project/.pi/settings.json"
	ownFile     = "config/pith/settings.json"
	atomicUser  = "home/.atomic/agent/settings.json"
	atomicHere  = "project/.atomic/settings.json"
)

func TestDefaults(t *testing.T) {
	got := settings.Read(newDesk(t, nil).where())
	if want := settings.Defaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("Read without files = %+v, want %+v", got, want)
	}
	want := settings.Compaction{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000}
	if c := got.Compaction("a", "b"); c != want {
		t.Errorf("Compaction() = %+v, want %+v", c, want)
	}
	if got.Retry != (settings.Retry{Enabled: true, MaxRetries: 3, BaseDelayMs: 2000, MaxDelayMs: 60000, MaxRetryAfterMs: 60000}) {
		t.Errorf("Retry = %+v", got.Retry)
	}
}

func TestLaterFilesGoFirst(t *testing.T) {
	got := settings.Read(newDesk(t, map[string]string{
		userFile: `{"sessionDir":"~/s","defaultProvider":"anthropic","defaultModel":"m1","theme":{"x":[1]},"defaultThinkingLevel":"high",
			"compaction":{"reserveTokens":1,"keepRecentTokens":2,"modelOverrides":{"p/m":{"reserveTokens":11,"keepRecentTokens":12},"p/n":{"reserveTokens":13}}},
			"branchSummary":{"reserveTokens":5},"retry":{"maxRetries":7,"maxDelayMs":99},"summarizer":"model"}`,
		projectFile: "\ufeff" + `{"defaultModel":"m2","compaction":{"keepRecentTokens":3,"modelOverrides":{"p/m":{"keepRecentTokens":22}}},"branchSummary":{"skipPrompt":true},
			"retry":{"provider":{"timeoutMs":1000}},"summarizer":"extract"}`,
		ownFile: `{"compaction":{"enabled":false,"reserveTokens":4},"retry":{"enabled":false},"handover":"pi --session","store":"/sync","treeFilterMode":"user-only","doubleEscapeAction":"none"}`,
	}).where())
	if len(got.Warnings) > 0 {
		t.Errorf("Warnings = %v, want none", got.Warnings)
	}
	if got.SessionDir != "~/s" || got.DefaultProvider != "anthropic" || got.DefaultModel != "m2" || got.DefaultThinkingLevel != "high" ||
		got.Summarizer != "extract" || got.Handover != "pi --session" || got.Store != "/sync" || got.TreeFilter != "user-only" || got.DoubleEscape != "none" {
		t.Errorf("Read() = %+v", got)
	}
	for model, want := range map[string]settings.Compaction{
		"m": {ReserveTokens: 11, KeepRecentTokens: 22}, "n": {ReserveTokens: 13, KeepRecentTokens: 3}, "M": {ReserveTokens: 4, KeepRecentTokens: 3},
	} {
		if c := got.Compaction("p", model); c != want {
			t.Errorf("Compaction(p, %s) = %+v, want %+v", model, c, want)
		}
	}
	if want := (settings.BranchSummary{ReserveTokens: 5, SkipPrompt: true}); got.BranchSummary != want {
		t.Errorf("BranchSummary = %+v, want %+v", got.BranchSummary, want)
	}
	want := settings.Retry{MaxRetries: 7, BaseDelayMs: 2000, MaxDelayMs: 60000, MaxRetryAfterMs: 99, TimeoutMs: 1000}
	if got.Retry != want {
		t.Errorf("Retry = %+v, want %+v", got.Retry, want)
	}
}

// null in a later file resets the value of an earlier one.
func TestNullMeansDefault(t *testing.T) {
	got := settings.Read(newDesk(t, map[string]string{
		userFile: `{"sessionDir":"x","treeFilterMode":"all","doubleEscapeAction":"fork","compaction":{"enabled":false,"reserveTokens":1,"modelOverrides":{"p/m":{"reserveTokens":2}}},
			"branchSummary":{"reserveTokens":1,"skipPrompt":true},"retry":{"maxRetries":1}}`,
		projectFile: `{"sessionDir":null,"treeFilterMode":null,"doubleEscapeAction":null,"compaction":null,"branchSummary":{"reserveTokens":null},"retry":null}`,
	}).where())
	want := settings.Defaults()
	want.BranchSummary.SkipPrompt = true
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Read() = %+v, want %+v", got, want)
	}
}

func TestWarnings(t *testing.T) {
	tests := map[string]struct {
		text string
		want string // after the path of the file
	}{
		"broken":           {"{\n  \"sessionDir\": \"x\",\n  oops\n}", ":3:3: invalid JSON; ignoring this file"},
		"torn":             {`{"sessionDir":`, ":1:15: invalid JSON: unexpected end; ignoring this file"},
		"no object":        {`[1]`, ":1:1: not a JSON object; ignoring this file"},
		"text":             {"{\"theme\":1,\n \"sessionDir\": 7}", `:2:16: invalid sessionDir 7: use a string; ignoring this value`},
		"same name inside": {`{"x":{"sessionDir": 7}, "sessionDir": 7}`, `:1:39: invalid sessionDir 7: use a string; ignoring this value`},
		"group":            {`{"compaction":[1]}`, `:1:15: invalid compaction [1]: use a JSON object; ignoring this value`},
		"negative":         {`{"compaction":{"reserveTokens":-1}}`, `:1:32: invalid compaction.reserveTokens -1: use a whole number from 0 to 9007199254740991; ignoring this value`},
		"flag":             {`{"compaction":{"enabled":"no"}}`, `:1:26: invalid compaction.enabled "no": use true or false; ignoring this value`},
		"override":         {`{"compaction":{"modelOverrides":{"a/b":1}}}`, `:1:40: invalid compaction.modelOverrides["a/b"] 1: use a JSON object; ignoring this value`},
		"level":            {`{"defaultThinkingLevel":"hard"}`, `:1:25: invalid defaultThinkingLevel "hard": use one of off, minimal, low, medium, high, xhigh, max; ignoring this value`},
		"filter":           {`{"treeFilterMode":"tools"}`, `:1:19: invalid treeFilterMode "tools": use one of default, no-tools, user-only, labeled-only, all; ignoring this value`},
		"escape":           {`{"doubleEscapeAction":1}`, `:1:23: invalid doubleEscapeAction 1: use one of tree, fork, none; ignoring this value`},
		"summarizer":       {`{"summarizer":"gpt"}`, `:1:15: invalid summarizer "gpt": use "model", "no-model", or "cmd:" and a command; ignoring this value`},
		"retry":            {`{"retry":4}`, `:1:10: invalid retry 4: use a JSON object; ignoring this value`},
		"command":          {`{"summarizer":"cmd:rm -rf ~"}`, `:1:15: summarizer with a command is ignored here because it runs a program; set it in pith's own settings`},
		"handover":         {`{"handover":"rm -rf ~"}`, `:1:13: handover is ignored here because it runs a program; set it in pith's own settings`},
		"store":            {`{"store":"postgres://h/d"}`, `:1:10: store is ignored here; set it in pith's own settings`},
		"too large":        {strings.Repeat(" ", settings.MaxSize+1), `: cannot read this file: larger than 1048576 bytes; ignoring it`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, map[string]string{
				userFile:    `{"sessionDir":"s","summarizer":"model","compaction":{"enabled":false,"reserveTokens":5},"defaultThinkingLevel":"low"}`,
				projectFile: tt.text,
			})
			got := settings.Read(d.where())
			want := filepath.Join(d.cwd, ".pi", "settings.json") + tt.want
			if len(got.Warnings) != 1 || got.Warnings[0].String() != want {
				t.Errorf("Read(%s): warnings\n%v\nwant\n%s", tt.text[:min(len(tt.text), 80)], got.Warnings, want)
			}
			c := got.Compaction("a", "b")
			if got.SessionDir != "s" || got.Summarizer != "model" || got.DefaultThinkingLevel != "low" || c.Enabled || c.ReserveTokens != 5 || got.Handover+got.Store != "" {
				t.Errorf("Read(%s) = %+v; want what the other file says", tt.text[:min(len(tt.text), 80)], got)
			}
		})
	}
}

// Warnings are in file order, and the valid settings next to them count.
func TestTheRestCounts(t *testing.T) {
	got := settings.Read(newDesk(t, map[string]string{
		userFile: `{"retry":1,"defaultModel":2,"compaction":{"reserveTokens":"x","keepRecentTokens":9}}`,
		ownFile:  `{"defaultModel":"m","summarizer":"cmd:pi -p","handover":"pi"}`,
	}).where())
	if len(got.Warnings) != 3 || got.Warnings[0].Offset != 9 || got.Warnings[1].Offset != 26 || got.Warnings[2].Line != 1 {
		t.Errorf("Warnings = %v, want three in order", got.Warnings)
	}
	if got.DefaultModel != "m" || got.Compaction("", "").KeepRecentTokens != 9 || got.Summarizer != "cmd:pi -p" || got.Handover != "pi" {
		t.Errorf("Read() = %+v", got)
	}
}

func TestAtomic(t *testing.T) {
	files := map[string]string{
		atomicUser: `{"sessionDir":"a","defaultModel":"atomic","branchSummary":{"reserveTokens":1}}`,
		atomicHere: `{"sessionDir":"b","defaultProvider":"atomic"}`,
	}
	d := newDesk(t, files)
	if got := settings.Read(d.where()); got.SessionDir != "" || got.DefaultModel != "atomic" || got.DefaultProvider != "atomic" || got.BranchSummary.ReserveTokens != 1 {
		t.Errorf("Read() with Atomic's files alone = %+v", got)
	}
	d.env["PI_CODING_AGENT_DIR"] = filepath.Join(d.home, ".pi", "agent")
	if got := settings.Read(d.where()); got.DefaultModel != "" || got.DefaultProvider != "atomic" {
		t.Errorf("Read() with pi's folder named = %+v; want Atomic's folder left alone", got)
	}
	d.env["ATOMIC_CODING_AGENT_DIR"] = filepath.Join(d.home, ".atomic", "agent")
	if got := settings.Read(d.where()); got.DefaultModel != "atomic" {
		t.Errorf("Read() with Atomic's folder named = %+v", got)
	}
	files[userFile], files[projectFile] = `{"sessionDir":"p"}`, `{}`
	if got := settings.Read(newDesk(t, files).where()); got.SessionDir != "p" || got.DefaultModel != "" || got.DefaultProvider != "" {
		t.Errorf("Read() with pi's files too = %+v; want pi's alone", got)
	}
}

func TestOwnFile(t *testing.T) {
	env := map[string]string{"APPDATA": filepath.Join("C:", "AppData")}
	w := settings.Where{Home: filepath.FromSlash("/home/u"), Getenv: func(name string) string { return env[name] }}
	for system, want := range map[string]string{
		"linux": "/home/u/.config", "darwin": "/home/u/Library/Application Support", "windows": filepath.Join("C:", "AppData"),
	} {
		if got := w.ConfigDir(system); filepath.ToSlash(got) != filepath.ToSlash(want) {
			t.Errorf("configDir(%s) = %q, want %q", system, got, want)
		}
	}
	env["XDG_CONFIG_HOME"] = "relative"
	if got := w.ConfigDir("linux"); filepath.ToSlash(got) != "/home/u/.config" {
		t.Errorf("configDir with a relative XDG_CONFIG_HOME = %q", got)
	}
	if got := (settings.Where{Getenv: func(string) string { return "" }}).OwnFile(); got != "" {
		t.Errorf("OwnFile() without a home = %q, want none", got)
	}
}

// A directory in place of the file, or no file, is not an error.
func TestOddPlaces(t *testing.T) {
	d := newDesk(t, map[string]string{projectFile + "/x": "", userFile: " \n"})
	got := settings.Read(d.where())
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0].String(), "not a regular file") {
		t.Errorf("Read() with a folder for a file: warnings %v, want one", got.Warnings)
	}
	if got := settings.Read(settings.Where{Getenv: func(string) string { return "" }}); len(got.Warnings) > 0 {
		t.Errorf("Read() of nowhere: warnings %v", got.Warnings)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"compaction":{"reserveTokens":1,"modelOverrides":{"a/b":{"keepRecentTokens":2}}},"sessionDir":"x"}`)
	f.Add("\ufeff{\"retry\" : {\"provider\":null}, \"summarizer\":\"cmd:\"}")
	f.Fuzz(func(t *testing.T, text string) {
		d := newDesk(t, map[string]string{projectFile: text})
		got := settings.Read(d.where())
		for _, w := range got.Warnings {
			if w.File == "" || w.Text == "" || w.Offset > int64(len(text)) {
				t.Errorf("Read(%q): warning %+v", text, w)
			}
		}
		if got.Handover != "" || strings.HasPrefix(got.Summarizer, "cmd:") {
			t.Errorf("Read(%q): a project may not name programs: %+v", text, got)
		}
	})
}
