package ops_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

const (
	killedThread  = "c0de0000-0000-4000-8000-000000000002"
	killedSession = "c1a0de00-0000-4000-8000-000000000001"
)

// A victim is a home with a thread of Codex that has many rollouts, and a session of
// Claude Code with a name, on which a process works until it is killed.
type victim struct{ dir string }

func (v victim) home() string         { return filepath.Join(v.dir, "home") }
func (v victim) index() string        { return filepath.Join(v.home(), ".codex", "session_index.jsonl") }
func (v victim) trash() trash.Options { return trash.Options{Dir: filepath.Join(v.dir, "trash")} }
func (v victim) catalog() catalog.Options {
	return catalog.Options{Home: v.home(), Getenv: func(name string) string {
		return map[string]string{"PITH_CACHE_DIR": filepath.Join(v.dir, "cache")}[name]
	}}
}

func newVictim(t *testing.T) victim {
	t.Helper()
	v := victim{t.TempDir()}
	day := filepath.Join(v.home(), ".codex", "sessions", "2026", "11", "17")
	if err := os.MkdirAll(day, 0o700); err != nil {
		t.Fatal(err)
	}
	var index strings.Builder
	for i := range 20 {
		name := fmt.Sprintf("rollout-2026-11-17T02-00-%02d-%s_c0de0000-0000-4000-8000-0000000000%02d.jsonl", i, killedThread, i+10)
		text := fmt.Sprintf(`{"timestamp":"2026-11-17T02:00:00.000Z","type":"session_meta","payload":{"id":%q,"cwd":"/p"}}`+"\n"+
			`{"timestamp":"2026-11-17T02:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"question %d"}]}}`+"\n", killedThread, i)
		when := time.Date(2026, 11, 17, 2, 0, i, 0, time.UTC)
		if err := errors.Join(os.WriteFile(filepath.Join(day, name), []byte(text), 0o640), os.Chtimes(filepath.Join(day, name), when, when)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&index, `{"id":%q,"thread_name":"name %d","updated_at":"2026-11-17T02:00:00Z"}`+"\n", []string{killedThread, "another"}[i%2], i)
	}
	when := time.Date(2026, 11, 17, 3, 0, 0, 0, time.UTC)
	file(filepath.Join(".claude", "projects", "-p", killedSession+".jsonl"), fmt.Sprintf(`{"type":"user","uuid":"u1","parentUuid":null,"sessionId":%q,"cwd":"/p","timestamp":"2026-11-17T02:00:00.000Z","message":{"role":"user","content":"a question"}}
{"type":"custom-title","customTitle":"old name","sessionId":%[1]q}
`, killedSession), 0o600)(t, v.home())
	file(filepath.Join(".claude", "projects", "-p", killedSession, "custom-title.json"), `{"customTitle":"old name"}`, 0o600)(t, v.home())
	file(".claude.json", `{"a":1}`, 0o600)(t, v.home())
	if err := errors.Join(os.WriteFile(v.index(), []byte(index.String()), 0o600), os.Chtimes(v.index(), when, when)); err != nil {
		t.Fatal(err)
	}
	return v
}

// works does what a process is killed at, from when it calls begun.
func (v victim) works(ctx context.Context, what string, begun func()) error {
	remove := func() error {
		ref, err := catalog.Resolve(ctx, killedThread, "/", v.catalog())
		if begun(); err == nil {
			_, err = ops.Remove(ctx, ops.RemoveParams{Session: ref, Catalog: v.catalog(), Trash: v.trash()})
		}
		return err
	}
	switch what {
	case "remove":
		return remove()
	case "restore":
		items, err := trash.List(v.trash())
		if err != nil || len(items) == 0 {
			return err
		}
		begun()
		_, err = trash.Restore(items[0].ID, v.trash())
		return err
	case "rename", "rename in two files":
		ref, err := catalog.Resolve(ctx, map[string]string{"rename": killedThread, "rename in two files": killedSession}[what], "/", v.catalog())
		if begun(); err == nil {
			_, err = ops.Rename(ctx, ops.RenameParams{Session: ref, Name: "another name", Catalog: v.catalog(), Now: time.Now(), Agree: func(context.Context, *ops.Renamed) error { return nil }})
		}
		return err
	}
	begun()
	_, err := ops.Install(ctx, ops.InstallParams{
		Agent: "claude", Recall: true, Environment: sessiondir.Environment{Home: v.home(), Getenv: func(string) string { return "" }}, Program: "/bin/pith", Arguments: []string{"mcp"}, Trash: v.trash(),
		Agree: func(context.Context, *ops.Installed) error { return nil },
	})
	return err
}

// workUntilKilled is the process that is killed.
func workUntilKilled(task string) {
	runtime.LockOSThread() // so that its system calls can be counted
	what, dir, _ := strings.Cut(task, ":")
	if err := (victim{dir}).works(context.Background(), what, func() { fmt.Println("go") }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// kill runs that process and kills it after a moment.
func (v victim) kill(t *testing.T, what string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WORK_AND_DIE="+what+":"+v.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the process said nothing")
	}
	timer := time.NewTimer(after)
	<-timer.C
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// state are the files of the agents, with modes, times and contents.
func (v victim) state(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(v.home(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = fmt.Sprintf("%v %v %s", info.Mode(), info.ModTime().UTC(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (v victim) done(t *testing.T, what string) {
	t.Helper()
	if err := v.works(t.Context(), what, func() {}); err != nil {
		t.Fatalf("%s again: %v", what, err)
	}
}

// holds completes what was begun before a process was killed, and checks that nothing
// is lost.
func (v victim) holds(t *testing.T, what string, was map[string]string) {
	t.Helper()
	switch what {
	case "remove", "restore":
		v.done(t, "restore")
		if now := v.state(t); !maps.Equal(now, was) {
			t.Fatalf("after the restore\n%v\nwant\n%v", now, was)
		}
	case "rename":
		v.done(t, what)
		data, err := os.ReadFile(v.index())
		if n := bytes.Count(data, []byte("another name")); err != nil || n != 1 || bytes.Count(data, []byte("\n")) != 21 || !bytes.HasSuffix(data, []byte("\n")) {
			t.Fatalf("the name is there %d times, %v:\n%s", n, err, data)
		}
	case "rename in two files":
		v.done(t, what)
		folder := filepath.Join(v.home(), ".claude", "projects", "-p")
		data, err := os.ReadFile(filepath.Join(folder, killedSession+".jsonl"))
		copied, copyErr := os.ReadFile(filepath.Join(folder, killedSession, "custom-title.json"))
		if n := bytes.Count(data, []byte("another name")); err != nil || n != 1 || bytes.Count(data, []byte("\n")) != 3 || !bytes.HasSuffix(data, []byte("\n")) {
			t.Fatalf("the name is there %d times, %v:\n%s", n, err, data)
		}
		if copyErr != nil || !bytes.Contains(copied, []byte("another name")) || !json.Valid(copied) {
			t.Fatalf("the copy of the name is %s, %v", copied, copyErr)
		}
	case "install":
		if data, err := os.ReadFile(filepath.Join(v.home(), ".claude.json")); err != nil || !json.Valid(data) || !bytes.Contains(data, []byte(`"a":1`)) && !bytes.Contains(data, []byte(`"a": 1`)) {
			t.Fatalf("the configuration is %s, %v", data, err)
		}
		v.done(t, what)
		now := v.state(t)
		v.done(t, what)
		if again := v.state(t); !maps.Equal(again, now) || !strings.Contains(now[filepath.Join(v.home(), ".claude.json")], "mcp") {
			t.Fatalf("after two installations\n%v\nwant\n%v", again, now)
		}
	}
}

// Whatever is killed loses nothing, and what was begun can be completed: a session that
// goes to the trash or comes back, a name, an installation.
func TestKilledWork(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for what, longest := range map[string]time.Duration{"remove": 100 * time.Millisecond, "restore": 25 * time.Millisecond, "rename": 25 * time.Millisecond, "install": 10 * time.Millisecond} {
		t.Run(what, func(t *testing.T) {
			for range rounds {
				v := newVictim(t)
				was := v.state(t)
				if what == "restore" {
					v.done(t, "remove")
				}
				v.kill(t, what, rand.N(longest))
				v.holds(t, what, was)
			}
		})
	}
}
