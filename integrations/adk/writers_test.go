package adksession_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	adksession "github.com/pith-sessions/pith/integrations/adk"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

const (
	app  = "app"
	user = "user"
)

func said(id, text string) *session.Event {
	e := &session.Event{ID: id, Author: "user", InvocationID: "inv", Timestamp: time.Now().UTC()}
	e.Content = genai.NewContentFromText(text, genai.RoleUser)
	return e
}

func create(tb testing.TB, s *adksession.Service, id string) session.Session {
	tb.Helper()
	r, err := s.Create(tb.Context(), &session.CreateRequest{AppName: app, UserID: user, SessionID: id})
	if err != nil {
		tb.Fatal(err)
	}
	return r.Session
}

func get(tb testing.TB, s *adksession.Service, id string) session.Session {
	tb.Helper()
	r, err := s.Get(tb.Context(), &session.GetRequest{AppName: app, UserID: user, SessionID: id})
	if err != nil {
		tb.Fatal(err)
	}
	return r.Session
}

func add(tb testing.TB, s *adksession.Service, sess session.Session, events ...*session.Event) {
	tb.Helper()
	for _, e := range events {
		if err := s.AppendEvent(tb.Context(), sess, e); err != nil {
			tb.Fatal(err)
		}
	}
}

func ids(sess session.Session) []string {
	out := []string{}
	for e := range sess.Events().All() {
		out = append(out, e.ID)
	}
	return out
}

// inOrder fails unless each writer's events, "writer/number", are all there in order.
func inOrder(t *testing.T, got []string, writers, each int) {
	t.Helper()
	next := map[string]int{}
	for _, id := range got {
		w, n, _ := strings.Cut(id, "/")
		if want := fmt.Sprint(next[w]); n != want {
			t.Fatalf("event %s of writer %s; want number %s", id, w, want)
		}
		next[w]++
	}
	if len(got) != writers*each || len(next) != writers {
		t.Errorf("%d events of %d writers; want %d of %d", len(got), len(next), writers*each, writers)
	}
}

func TestManyGoroutines(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			const goroutines, each = 64, 8
			o := options(t)
			services := []*adksession.Service{open(t, o), open(t, o)}
			create(t, services[0], "s")
			var all sync.WaitGroup
			for g := range goroutines {
				s := services[g%2]
				h := get(t, s, "s")
				all.Go(func() {
					for n := range each {
						if err := s.AppendEvent(t.Context(), h, said(fmt.Sprintf("%d/%d", g, n), "text")); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			for _, s := range services {
				inOrder(t, ids(get(t, s, "s")), goroutines, each)
			}
		})
	}
}

// The variables of a process that appends events.
const (
	writerVariable = "ADKSESSION_WRITER"
	placeVariable  = "ADKSESSION_PLACE" // a directory, or a schema in the database of dsnVariable
	dsnVariable    = "ADKSESSION_DSN"
	policyVariable = "ADKSESSION_POLICY" // of a process that appends one event on request
	eachProcess    = 200
)

func playWriter() {
	act := write
	if os.Getenv(policyVariable) != "" {
		act = meet
	}
	if err := act(context.Background(), os.Getenv(writerVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// service opens the service that the variables describe, and what closes it.
func service(ctx context.Context, policy adksession.ConflictPolicy) (_ *adksession.Service, done func(), err error) {
	o, disconnect := adksession.Options{Dir: os.Getenv(placeVariable)}, func() {}
	if dsn := os.Getenv(dsnVariable); dsn != "" {
		st, err := pgstore.Connect(ctx, dsn, pgstore.Options{Schema: os.Getenv(placeVariable)})
		if err != nil {
			return nil, nil, err
		}
		o, disconnect = adksession.Options{Store: st}, func() { st.Close() }
	}
	o.OnConflict = policy
	s, err := adksession.New(o)
	if err != nil {
		disconnect()
		return nil, nil, err
	}
	return s, func() { s.Close(); disconnect() }, nil
}

// meet takes a handle of the session, says so, waits for a line, and appends one event.
func meet(ctx context.Context, name string) error {
	policy, err := strconv.Atoi(os.Getenv(policyVariable))
	if err != nil {
		return err
	}
	s, done, err := service(ctx, adksession.ConflictPolicy(policy))
	if err != nil {
		return err
	}
	defer done()
	r, err := s.Get(ctx, &session.GetRequest{AppName: app, UserID: user, SessionID: "s"})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	err = s.AppendEvent(ctx, r.Session, said(name, name))
	if errors.As(err, new(*adksession.StaleError)) {
		fmt.Println("stale")
		return nil
	}
	return err
}

func write(ctx context.Context, name string) error {
	s, done, err := service(ctx, adksession.Follow)
	if err != nil {
		return err
	}
	defer done()
	r, err := s.Get(ctx, &session.GetRequest{AppName: app, UserID: user, SessionID: "s"})
	for n := 0; err == nil && n < eachProcess; n++ {
		err = s.AppendEvent(ctx, r.Session, said(fmt.Sprintf("%s/%d", name, n), "text"))
	}
	return err
}

func TestTwoProcesses(t *testing.T) {
	run := func(t *testing.T, s *adksession.Service, env ...string) {
		create(t, s, "s")
		var all sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(append(os.Environ(), writerVariable+"="+name), env...)
			all.Go(func() {
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("process %s: %v: %s", name, err, out)
				}
			})
		}
		all.Wait()
		inOrder(t, ids(get(t, s, "s")), 2, eachProcess)
	}
	t.Run("files", func(t *testing.T) {
		dir := t.TempDir()
		run(t, open(t, adksession.Options{Dir: dir}), placeVariable+"="+dir)
	})
	t.Run("postgresql", func(t *testing.T) {
		schema, dsn := pgtest.Schema(t), pgtest.DSN(t)
		st, err := pgstore.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		run(t, open(t, adksession.Options{Store: st}), placeVariable+"="+schema, dsnVariable+"="+dsn)
	})
}

// Two processes take a handle each; then one appends, then the other.
func TestConflictPoliciesOfProcesses(t *testing.T) {
	run := func(t *testing.T, s *adksession.Service, policy adksession.ConflictPolicy, want []string, env ...string) {
		add(t, s, create(t, s, "s"), said("start", "start"))
		type writer struct {
			cmd *exec.Cmd
			in  io.WriteCloser
			out *bufio.Reader
		}
		var writers []writer
		for _, name := range []string{"first", "second"} {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(append(os.Environ(), writerVariable+"="+name, fmt.Sprintf("%s=%d", policyVariable, policy)), env...)
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w := writer{cmd, in, bufio.NewReader(out)}
			if line, err := w.out.ReadString('\n'); line != "ready\n" {
				t.Fatalf("process %s: %q, %v", name, line, err)
			}
			writers = append(writers, w)
		}
		told := ""
		for _, w := range writers {
			if _, err := io.WriteString(w.in, "go\n"); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(w.out)
			if err := errors.Join(err, w.cmd.Wait()); err != nil {
				t.Fatal(err)
			}
			told += string(rest)
		}
		if stale := told == "stale\n"; stale != (policy == adksession.Refuse) {
			t.Errorf("the processes said %q", told)
		}
		if got := ids(get(t, s, "s")); !slices.Equal(got, want) {
			t.Errorf("events = %v; want %v", got, want)
		}
	}
	for policy, want := range map[adksession.ConflictPolicy][]string{
		adksession.Follow: {"start", "first", "second"}, adksession.Branch: {"start", "second"}, adksession.Refuse: {"start", "first"},
	} {
		t.Run(fmt.Sprint("files", policy), func(t *testing.T) {
			dir := t.TempDir()
			run(t, open(t, adksession.Options{Dir: dir}), policy, want, placeVariable+"="+dir)
		})
		t.Run(fmt.Sprint("postgresql", policy), func(t *testing.T) {
			schema, dsn := pgtest.Schema(t), pgtest.DSN(t)
			st, err := pgstore.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			run(t, open(t, adksession.Options{Store: st}), policy, want, placeVariable+"="+schema, dsnVariable+"="+dsn)
		})
	}
}

func TestConflictPolicies(t *testing.T) {
	for name, options := range stores {
		for policy, want := range map[adksession.ConflictPolicy][]string{
			adksession.Follow: {"start", "first", "second"},
			adksession.Branch: {"start", "second"},
			adksession.Refuse: {"start", "first"},
		} {
			t.Run(fmt.Sprint(name, policy), func(t *testing.T) {
				o := options(t)
				o.OnConflict = policy
				one, two := open(t, o), open(t, o)
				add(t, one, create(t, one, "s"), said("start", "start"))
				h1, h2 := get(t, one, "s"), get(t, two, "s")
				add(t, one, h1, said("first", "first"))
				err := two.AppendEvent(t.Context(), h2, said("second", "second"))
				var stale *adksession.StaleError
				if policy == adksession.Refuse {
					if !errors.As(err, &stale) || len(ids(h2)) != 1 {
						t.Errorf("AppendEvent = %v, the handle has %v; want a StaleError and nothing added", err, ids(h2))
					}
				} else if err != nil {
					t.Error(err)
				}
				for _, s := range []*adksession.Service{one, two} {
					if got := ids(get(t, s, "s")); !slices.Equal(got, want) {
						t.Errorf("events = %v; want %v", got, want)
					}
				}
				if policy == adksession.Branch { // the other branch continues where it was
					add(t, one, h1, said("third", "third"))
					if got := ids(get(t, two, "s")); !slices.Equal(got, []string{"start", "first", "third"}) {
						t.Errorf("events = %v; want the first branch", got)
					}
				}
			})
		}
	}
}
