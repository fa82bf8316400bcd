package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/sessiondir"
)

func TestRootsOfOtherPrograms(t *testing.T) {
	env := map[string]string{}
	o := isolated(t, env)
	env["ATOMIC_CODING_AGENT_SESSION_DIR"] = filepath.Join(o.Home, "atomic flat")
	env["OMP_CODING_AGENT_DIR"] = filepath.Join(o.Home, "omp")
	env["XDG_DATA_HOME"] = filepath.Join(o.Home, "data")
	files := map[string]string{
		".pi/agent/sessions/--p--/x.jsonl":                                                      "pi",
		".atomic/agent/sessions/--p--/x.jsonl":                                                  "atomic",
		"atomic flat/x.jsonl":                                                                   "atomic",
		".omp/agent/sessions/-src-p/x.jsonl":                                                    "oh-my-pi",
		".omp/profiles/work/agent/sessions/-src-p/x.jsonl":                                      "oh-my-pi",
		"omp/sessions/--p--/x.jsonl":                                                            "oh-my-pi",
		"data/omp/sessions/--p--/x.jsonl":                                                       "oh-my-pi",
		".openclaw/agents/main/sessions/5f3a.jsonl":                                             "openclaw",
		".openclaw/agents/main/sessions/5f3a-topic-7.jsonl":                                     "openclaw",
		".clawdbot/agents/main/sessions/6f3a.jsonl":                                             "openclaw",
		".openclaw/agents/main/session-sqlite-import-archive/7f3a.jsonl.imported-1770112802000": "openclaw",
	}
	for path := range files {
		write(t, filepath.Join(o.Home, filepath.FromSlash(path)), simple(path, "/p", 1))
	}
	write(t, filepath.Join(o.Home, ".openclaw", "agents", "main", "sessions", "sessions.json"), "{}")
	// A session that is still there is not listed again from the archive.
	write(t, filepath.Join(o.Home, ".openclaw", "agents", "main", "session-sqlite-import-archive", "5f3a.jsonl.imported-1"), simple("archived", "/p", 1))
	write(t, filepath.Join(o.Home, ".openclaw", "agents", "main", "sessions", "5f3a.jsonl.reset.2026"), simple("reset", "/p", 1))
	got := map[string]string{}
	for info, err := range catalog.List(t.Context(), "/p", o) {
		if err != nil {
			t.Fatal(err)
		}
		got[info.ID] = info.Root
	}
	if len(got) != len(files) {
		t.Errorf("List found %d sessions, want %d", len(got), len(files))
	}
	for path, root := range files {
		if got[path] != root {
			t.Errorf("session %s is of root %q, want %q", path, got[path], root)
		}
	}
}

// pitfall 174
func TestRootPrecedence(t *testing.T) {
	env := map[string]string{}
	o := isolated(t, env)
	home := o.Home
	cwd := filepath.Join(home, "work")
	for _, dir := range []string{"flag", "pith", "work/relative", "tree", "agent/sessions", ".pi/agent/sessions", "setting"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	all := []struct{ name, value string }{
		{"flag", filepath.Join(home, "flag")},
		{"PITH_SESSION_DIR", "~/pith/"},
		{"PI_CODING_AGENT_SESSION_DIR", "relative"},
		{"PI_SESSIONS_DIR", filepath.Join(home, "tree")},
		{"sessionDir", "~/setting"},
		{"PI_CODING_AGENT_DIR", filepath.Join(home, "agent")},
	}
	want := []catalog.Root{
		{Name: "custom", Dir: filepath.Join(home, "flag"), Flat: true, Writable: true},
		{Name: "custom", Dir: filepath.Join(home, "pith"), Flat: true, Writable: true},
		{Name: "pi", Dir: filepath.Join(cwd, "relative"), Flat: true, Writable: true},
		{Name: "pi", Dir: filepath.Join(home, "tree"), Writable: true},
		{Name: "pi", Dir: filepath.Join(home, "setting"), Flat: true, Writable: true},
		{Name: "pi", Dir: filepath.Join(home, "agent", "sessions"), Writable: true},
		{Name: "pi", Dir: filepath.Join(home, ".pi", "agent", "sessions"), Writable: true},
	}
	settings := filepath.Join(cwd, ".pi", "settings.json")
	for i := range want {
		// All variables from index i on are set.
		clear(env)
		o.Dir = ""
		write(t, settings, "{}")
		for _, s := range all[i:] {
			switch s.name {
			case "flag":
				o.Dir = s.value
			case "sessionDir":
				write(t, settings, fmt.Sprintf(`{"sessionDir":%q}`, s.value))
			default:
				env[s.name] = s.value
			}
		}
		roots := catalog.Roots(o, cwd)
		if len(roots) == 0 || roots[0] != want[i] {
			t.Errorf("Roots with %v = %+v; want %+v first", all[i:], roots, want[i])
		}
		if len(roots) != 1 { // pi's own directory exists too, and is not meant
			t.Errorf("Roots with %v = %+v; want one", all[i:], roots)
		}
		agreesWithDefaultPlace(t, o, env, cwd, want[i])
	}
	writable := slices.DeleteFunc(catalog.Roots(o, cwd), func(r catalog.Root) bool { return !r.Writable })
	if len(writable) != 1 {
		t.Errorf("%d roots for new sessions, want 1: %+v", len(writable), writable)
	}
}

// agreesWithDefaultPlace checks that what is listed first is where new sessions
// are made.
func agreesWithDefaultPlace(t *testing.T, o catalog.Options, env map[string]string, cwd string, want catalog.Root) {
	t.Helper()
	if o.Dir != "" || runtime.GOOS == "windows" {
		return
	}
	t.Setenv("HOME", o.Home)
	for _, name := range []string{"PITH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_SESSIONS_DIR", "PI_CODING_AGENT_DIR"} {
		t.Setenv(name, env[name])
	}
	if p := (sessiondir.Environment{}).Place(cwd); p.Dir != want.Dir || p.Flat != want.Flat {
		t.Errorf("DefaultPlace = %+v, but the first root is %+v", p, want)
	}
	if roots := catalog.Roots(catalog.Options{}, cwd); len(roots) == 0 || roots[0] != want {
		t.Errorf("Roots from the real environment = %+v; want %+v first", roots, want)
	}
}
