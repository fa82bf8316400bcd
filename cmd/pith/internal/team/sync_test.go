package team_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// commandVariable makes the test binary run a command of pith instead of tests.
const commandVariable = "PITH_TEAM_TEST_COMMAND"

// process runs a command in a process of its own, which is killed after a time.
func (d *desk) process(lifetime time.Duration, args ...string) error {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), lifetime)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Dir = d.cwd
	cmd.Env = append(os.Environ(), commandVariable+"="+strings.Join(args, " "))
	for name, value := range d.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		d.t.Errorf("pith %q = %v\n%s", args, err, out)
	}
	return err
}

// Machines that sync at the same moment and are killed, later and later, until
// both complete, lose nothing.
func TestSyncKilled(t *testing.T) {
	t.Run("directory", func(t *testing.T) { testSyncKilled(t, t.TempDir()) })
	t.Run("database", func(t *testing.T) {
		ana, _ := newTeam(t)
		testSyncKilled(t, ana)
	})
}

func testSyncKilled(t *testing.T, store string) {
	laptop, desktop := newDesk(t, store, "laptop"), newDesk(t, store, "desktop")
	laptop.samples()
	desktop.begin(oneID, desktop.cwd, strings.Repeat("the turnip is in the cellar ", 10_000))
	before := map[*desk]map[string]string{laptop: laptop.files(), desktop: desktop.files()}
	for lifetime, done := 20*time.Millisecond, false; !done && !t.Failed(); lifetime = lifetime * 5 / 4 {
		var errs [2]error
		var both sync.WaitGroup
		for i, d := range []*desk{laptop, desktop} {
			both.Go(func() { errs[i] = d.process(lifetime, "team", "sync") })
		}
		both.Wait()
		done = errs[0] == nil && errs[1] == nil
	}
	laptop.do("team", "sync")
	desktop.do("team", "sync")
	for d, own := range before {
		files := d.files()
		for _, had := range before {
			for id, text := range had {
				if whole := text[:strings.LastIndexByte(text, '\n')+1]; files[id] != whole && files[id] != text {
					t.Errorf("%s has %d bytes of %s; want %d, the same", d.env["PITH_MACHINE"], len(files[id]), id, len(whole))
				}
			}
		}
		if len(files) != len(before[laptop])+len(before[desktop]) || len(own) == 0 {
			t.Errorf("%s has %d sessions", d.env["PITH_MACHINE"], len(files))
		}
	}
	if out := laptop.do("team", "sync"); !strings.HasPrefix(out, "pulled 0 sessions, 0 B; pushed 0 sessions, 0 B") {
		t.Errorf("another sync printed %q", out)
	}
}

// Without an argument, sync uses PITH_STORE or the settings, each of which may
// name a directory.
func TestSyncStore(t *testing.T) {
	dir := t.TempDir()
	laptop, desktop := newDesk(t, dir, "laptop"), newDesk(t, "", "desktop")
	laptop.begin(oneID, laptop.cwd, "the turnip is in the cellar")
	laptop.do("team", "sync")
	if code, _, told := desktop.run("team", "sync"); code != 2 || !strings.Contains(told, "no team database configured") {
		t.Errorf("sync without a store = %d %q", code, told)
	}
	desktop.write(filepath.Join(desktop.home, ".config", "pith", "settings.json"), `{"store": "`+dir+`"}`)
	desktop.do("team", "sync")
	if got := desktop.files()[oneID]; got != laptop.files()[oneID] {
		t.Errorf("the desktop has %q", got)
	}
	if code, _, told := desktop.run("team", "ls"); code != 2 || strings.Count(told, "\n") != 1 {
		t.Errorf("ls of a directory = %d %q; want 2 and one line", code, told)
	}
}

// T11: while the server is away, sync --watch says so once, and goes on when it
// is back.
func TestWatch(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	d := newDesk(t, server.DSN(), "laptop")
	d.do("team", "init")
	d.begin(oneID, d.cwd, "the turnip is in the cellar")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, d.world(write, write), []string{"team", "sync", "--watch", "--interval", "1s"})
		write.Close()
	}()
	lines := bufio.NewScanner(read)
	await := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("sync ended before it said %q", want)
	}
	await("pushed 1 session")
	server.Stop()
	await("cannot connect to the team database")
	server.Start(t)
	await("connected again")
	cancel()
	for lines.Scan() { // until it ends
	}
	if code := <-ended; code == 0 {
		t.Error("an interrupted sync = 0; want another code")
	}
}
