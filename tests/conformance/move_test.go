package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/move"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// A project that pi worked in is moved: pi lists its sessions for the new
// directory and no longer for the old one, opens each without changing it, sees
// the same as pith, finds the parent of a fork, and continues to write.
func TestMoveAndPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		m := newMoving(t, r)
		first := r.dialogue(t, m.old, m.folder(m.old), "named", "hello", "hi", "more \u2028 text", "done")
		r.branch(t, first, allIDs(t, reopen(t, first))[0], "another way")
		below := r.dialogue(t, filepath.Join(m.old, "sub"), m.folder(filepath.Join(m.old, "sub")), "", "below", "yes")
		fork, err := r.ForkFrom(t.Context(), first, m.other, m.folder(m.other))
		if err != nil {
			t.Fatal(err)
		}
		child, err := fork.File(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := readFile(t, first)
		m.move(t)

		at := filepath.Join(m.folder(m.new), filepath.Base(first))
		want := strings.Replace(before, string(jsonl.AppendString(nil, m.old)), string(jsonl.AppendString(nil, m.new)), 1)
		if got := readFile(t, at); got != want {
			t.Errorf("the moved file is\n%s\nwant\n%s", got, want)
		}
		for _, path := range []string{at, filepath.Join(m.folder(filepath.Join(m.new, "sub")), filepath.Base(below)), child} {
			r.compare(t, path, atEntries)
		}
		m.lists(t, m.new, at)
		m.lists(t, m.old)
		for _, i := range m.lists(t, m.other, child) {
			if i.ParentSessionPath != at { // pitfall 134
				t.Errorf("pi says that %s was made from %s; want %s", i.Path, i.ParentSessionPath, at)
			}
		}
		m.goesOn(t, at)
	})
}

// A session to which pi writes while it is to be moved stays where it is, whole; when
// pi has ended it moves.
func TestMoveWhilePiWrites(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		m := newMoving(t, r)
		path := r.dialogue(t, m.old, m.folder(m.old), "", "hello", "hi")
		session := r.open(t, path)
		plan := m.plan(t)
		wrote := 0
		plan.Quiet = func(ctx context.Context) error {
			wrote++
			_, err := session.Append(ctx, "appendMessage", json.RawMessage(`{"role":"user","content":"and another thing","timestamp":1765243000000}`))
			return err
		}
		apply := func(plan *move.Plan) (told []error) {
			t.Helper()
			if err := plan.Apply(t.Context(), func(d move.Done) { told = append(told, d.Err) }); err != nil {
				t.Fatal(err)
			}
			return told
		}
		if told := apply(plan); len(told) != 1 || !errors.Is(told[0], store.ErrConflict) {
			t.Errorf("told %v; want that somebody wrote", told)
		}
		m.goesOn(t, path)
		at := filepath.Join(m.folder(m.new), filepath.Base(path))
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is something at %s: %v", at, err)
		}
		plan = m.plan(t)
		plan.Quiet = func(context.Context) error { return nil }
		if told := apply(plan); len(told) != 1 || told[0] != nil {
			t.Errorf("told %v; want it moved", told)
		}
		if text := readFile(t, at); strings.Count(text, "and another thing") != wrote || wrote == 0 {
			t.Errorf("moved:\n%s", text)
		}
	})
}

// A moving is a project that moves, with pi's directory of sessions.
type moving struct {
	rig
	root, old, new, other string
}

func newMoving(t *testing.T, r rig) *moving {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, name) }
	m := &moving{r, at("sessions"), at("old"), at("new place"), at("other")}
	for _, dir := range []string{m.new, m.other} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// folder returns pi's directory for the sessions of a working directory.
func (m *moving) folder(cwd string) string { return filepath.Join(m.root, format.ProjectDir(cwd)) }

// plan plans the move.
func (m *moving) plan(t *testing.T) *move.Plan {
	t.Helper()
	env := map[string]string{"PI_SESSIONS_DIR": m.root}
	o := catalog.Options{Getenv: func(name string) string { return env[name] }, Home: t.TempDir()}
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := move.NewPlan(infos, m.old, m.new, move.Options{Catalog: o})
	if err != nil || len(plan.Refused) != 0 {
		t.Fatalf("NewPlan = %+v, %v", plan, err)
	}
	return plan
}

func (m *moving) move(t *testing.T) {
	t.Helper()
	plan := m.plan(t)
	if len(plan.Steps) != 3 {
		t.Fatalf("NewPlan = %+v; want three steps", plan)
	}
	err := plan.Apply(t.Context(), func(d move.Done) {
		if d.Err != nil {
			t.Errorf("%s: %v", d.Session.Path, d.Err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lists checks what pi lists for a directory, and returns that.
func (m *moving) lists(t *testing.T, cwd string, want ...string) []pi.Info {
	t.Helper()
	got, err := m.List(t.Context(), cwd, m.folder(cwd))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("pi lists %+v for %s; want %q", got, cwd, want)
	}
	for i := range got {
		if got[i].Path != want[i] || got[i].Cwd != cwd {
			t.Errorf("pi lists %+v for %s; want %q", got[i], cwd, want[i])
		}
	}
	return got
}

// goesOn has pi continue a session.
func (m *moving) goesOn(t *testing.T, path string) {
	t.Helper()
	before := readFile(t, path)
	s := m.open(t, path)
	if _, err := s.Append(t.Context(), "appendMessage", json.RawMessage(`{"role":"user","content":"on we go","timestamp":1765243000000}`)); err != nil {
		t.Fatal(err)
	}
	if after := readFile(t, path); !strings.HasPrefix(after, before) || !strings.Contains(after[len(before):], "on we go") {
		t.Errorf("pi made %s of %s; want one more line", lastPart(after), lastPart(before))
	}
}
