package replica_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// Tests start the test binary again to have processes that die.
const roleVariable = "PITH_REPLICA_TEST_ROLE"

// playRole pushes or pulls one session and kills itself at a certain step.
func playRole(role string) {
	args := os.Args[1:]
	step, _ := strconv.Atoi(args[4])
	s, err := openStore(args[0], args[1])
	if err == nil {
		left := &steps{left: step, then: func() {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}}
		var t *replica.Team
		t, err = replica.New(&mortal{s, left}, replica.Options{Person: personOf(s), Machine: args[2],
			Local: &mortalFiles{filestore.New(filestore.Options{}), left}})
		if err == nil && role == "push" {
			_, err = t.Push(context.Background(), args[3], replica.PushOptions{})
		} else if err == nil {
			var l *replica.Listing
			if l, err = t.List(context.Background(), personOf(s), ""); err == nil {
				_, err = t.Pull(context.Background(), l.Sessions("")[0], args[3])
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// openStore opens a team database, or a folder if there is no schema.
func openStore(address, schema string) (replica.Store, error) {
	if schema == "" {
		return replica.NewFolder(address)
	}
	return pgteam.Connect(context.Background(), address, pgstore.Options{Schema: schema})
}

// steps lets something happen before or after one of many calls.
type steps struct {
	mu   sync.Mutex // guards left
	left int
	then func()
}

func (s *steps) step() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left == 0 {
		s.then()
	}
}

// over reports whether there were fewer calls.
func (s *steps) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left > 0
}

// mortal is a store of which each call is one step or two.
type mortal struct {
	replica.Store
	*steps
}

func (m *mortal) List(ctx context.Context, person, session string) (*replica.Listing, error) {
	m.step()
	return m.Store.List(ctx, person, session)
}

func (m *mortal) Append(ctx context.Context, c replica.Copy, at int64, p []byte) error {
	m.step()
	defer m.step()
	return m.Store.Append(ctx, c, at, p)
}

func (m *mortal) Describe(ctx context.Context, c replica.Copy, from int64, d replica.Description) error {
	m.step()
	defer m.step()
	return m.Store.Describe(ctx, c, from, d)
}

// mortalFiles are files of which each call is one step or two.
type mortalFiles struct {
	store.Store
	*steps
}

func (m *mortalFiles) Open(ctx context.Context, name string) (store.Log, error) {
	m.step()
	l, err := m.Store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &mortalLog{l, m.steps}, nil
}

func (m *mortalFiles) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	m.step()
	l, err := m.Store.Create(ctx, name, fill)
	m.step()
	if err != nil {
		return nil, err
	}
	return &mortalLog{l, m.steps}, nil
}

type mortalLog struct {
	store.Log
	*steps
}

func (l *mortalLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	l.step()
	defer l.step()
	return l.Log.Append(ctx, at, p)
}

// run plays a role until it is killed; false when it came to its end.
func run(t *testing.T, role string, args ...string) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if cmd.ProcessState.ExitCode() == 1 {
		t.Fatalf("%s %v: %s", role, args, out)
	}
	return true
}

// A client that is killed at any step of a push or a pull leaves everything
// consistent, and the next one continues.
func TestKilledAtEachStep(t *testing.T) {
	t.Run("database", func(t *testing.T) {
		dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
		killedAtEachStep(t, initTeam(t, dsn, schema), dsn, schema)
	})
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		s, err := replica.NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		killedAtEachStep(t, s, dir, "")
	})
}

func killedAtEachStep(t *testing.T, s replica.Store, dsn, schema string) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	var text strings.Builder
	text.WriteString(header(sessionID))
	for i := range 12 {
		text.WriteString(message(fmt.Sprintf("%08x", i+1), "", strings.Repeat("0123456789", 80_000)))
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(data)
	}
	write(path, text.String())
	deaths := 0
	for step := 1; run(t, "push", dsn, schema, "laptop", path, strconv.Itoa(step)); step++ {
		deaths++
		if got := logBytes(t, s, "laptop", 1); !strings.HasPrefix(text.String(), got) {
			t.Fatalf("step %d: the log is no beginning of the file", step)
		}
	}
	if got := logBytes(t, s, "laptop", 1); got != text.String() {
		t.Errorf("the log has %d bytes; want %d, the same", len(got), text.Len())
	}
	for _, begun := range []string{"", header(sessionID) + message("00000001", "", strings.Repeat("0123456789", 80_000)), header(sessionID) + message("0000ffff", "", "own")} {
		os.Remove(target)
		if begun != "" {
			write(target, begun)
		}
		for step := 1; run(t, "pull", dsn, schema, "desk", target, strconv.Itoa(step)); step++ {
			deaths++
			if got := read(target); !strings.HasPrefix(got, begun) || got != "" && !strings.HasSuffix(got, "\n") {
				t.Fatalf("step %d: the file lost something or is torn", step)
			}
			if step > 50 {
				t.Fatal("a pull never ends")
			}
		}
		have := entries(read(target))
		for l := range entries(text.String()) {
			if !have[l] {
				t.Errorf("a line is missing")
			}
		}
	}
	if deaths < 12 {
		t.Errorf("only %d steps were tried", deaths)
	}
}

// Many machines that push concurrently lose nothing.
func TestManyMachines(t *testing.T) {
	manyMachines(t, initTeam(t, pgtest.DSN(t), pgtest.Schema(t)), 64, 5)
}

func BenchmarkManyMachines(b *testing.B) {
	server := pgtest.Start(b, "max_connections=100")
	for n := 0; b.Loop(); n++ {
		manyMachines(b, initTeam(b, server.DSN()+" pool_max_conns=64", fmt.Sprint("team", n)), 64, 1000)
	}
	b.ReportMetric(float64(64*1000*b.N)/b.Elapsed().Seconds(), "pushes/s")
}

// manyMachines lets machines add lines to one session concurrently, each with
// its own push, and checks that all of them arrived.
func manyMachines(tb testing.TB, s *pgteam.Store, machines, lines int) {
	var wg sync.WaitGroup
	sites := make([]*site, machines)
	for m := range machines {
		sites[m] = newSite(tb, s, fmt.Sprintf("m%d", m))
		sites[m].write(header(sessionID))
		wg.Go(func() {
			for i := range lines {
				sites[m].add(message(fmt.Sprintf("%04x%04x", m, i), "", "x"))
				if _, err := sites[m].Push(tb.Context(), sites[m].path, replica.PushOptions{}); err != nil {
					tb.Errorf("Push = %v", err)
				}
			}
		})
	}
	wg.Wait()
	for m, one := range sites {
		if got := logBytes(tb, s, fmt.Sprintf("m%d", m), 1); got != one.read() {
			tb.Errorf("the log of machine %d has %d bytes; want the %d of its file", m, len(got), len(one.read()))
		}
	}
	all := newSite(tb, s, "reader")
	all.pull()
	if n := len(entries(all.read())); n != 1+machines*lines {
		tb.Errorf("the union has %d lines; want %d", n, 1+machines*lines)
	}
}

// The server crashes and restarts at any step of a push or a pull: both
// continue, and nothing is lost or duplicated.
func TestServerCrashAtEachStep(t *testing.T) {
	server := pgtest.Start(t, "fsync=off", "max_connections=50") // the disk stays
	initTeam(t, server.DSN(), "pith_team").Close()
	s, err := pgteam.Connect(t.Context(), server.DSN(), pgstore.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun := header(sessionID) + message("00000001", "", "one")
	text := begun + message("00000002", "00000001", strings.Repeat("x", 600<<10)) // in a transaction
	for crash := 1; ; crash++ {
		left := &steps{left: crash, then: func() {
			server.Crash()
			server.Start(t)
		}}
		machine := fmt.Sprint("m", crash)
		team, err := replica.New(&mortal{s, left}, replica.Options{Person: s.Person(), Machine: machine})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.jsonl")
		var pushed replica.Pushed
		for _, now := range []string{begun, text} {
			if err := os.WriteFile(path, []byte(now), 0o600); err != nil {
				t.Fatal(err)
			}
			if pushed, err = team.Push(t.Context(), path, replica.PushOptions{}); err != nil || pushed.New != (now == begun) {
				t.Fatalf("step %d: Push = %+v, %v", crash, pushed, err)
			}
			if got := logBytes(t, s, machine, 1); got != now {
				t.Errorf("step %d: the log has %d bytes; want %d, the same", crash, len(got), len(now))
			}
		}
		target := filepath.Join(t.TempDir(), "b.jsonl")
		if _, err := team.Pull(t.Context(), []replica.Copy{pushed.Copy}, target); err != nil {
			t.Fatalf("step %d: Pull = %v", crash, err)
		}
		if got, err := os.ReadFile(target); err != nil || string(got) != text {
			t.Errorf("step %d: the file has %d bytes, %v; want %d, the same", crash, len(got), err, len(text))
		}
		if left.over() {
			if crash < 6 {
				t.Errorf("only %d steps were tried", crash-1)
			}
			return
		}
	}
}

// T1: through pgbouncer in transaction mode.
func TestBehindPgbouncer(t *testing.T) {
	s := initTeam(t, pgtest.Start(t, "fsync=off").Pooler(t), "pith_team")
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	b.pull()
	if a.read() != b.read() {
		t.Errorf("b has %q", b.read())
	}
}

// T8: several clients make the tables concurrently.
func TestInitAtOnce(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := pgteam.Init(t.Context(), dsn, "", pgstore.Options{Schema: schema})
			if err != nil {
				t.Errorf("Init = %v", err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
}
