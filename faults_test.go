package pith_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
)

var errFault = errors.New("the disk is broken")

// A faulty store fails at one call, of its own and of its logs together.
type faulty struct {
	store.Store
	mu sync.Mutex
	n  int // calls until it fails; below 1 it does not
}

func (f *faulty) call() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n--
	if f.n == 0 {
		return errFault
	}
	return nil
}

// failAt lets the nth call from now on fail; 0 none.
func (f *faulty) failAt(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n = n
}

// failed reports whether the call came that had to fail.
func (f *faulty) failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n <= 0
}

func (f *faulty) log(log store.Log, err error) (store.Log, error) {
	if err != nil {
		return nil, err
	}
	return &faultyLog{log, f}, nil
}

func (f *faulty) Open(ctx context.Context, name string) (store.Log, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.log(f.Store.Open(ctx, name))
}

func (f *faulty) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.log(f.Store.Create(ctx, name, f.filling(fill)))
}

func (f *faulty) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.log(f.Store.Replace(ctx, old.(*faultyLog).Log, size, f.filling(fill), backup))
}

// filling counts the writes of a fill too.
func (f *faulty) filling(fill store.Fill) store.Fill {
	return func(w io.Writer) error { return fill(&faultyWriter{w, f}) }
}

type faultyWriter struct {
	io.Writer
	f *faulty
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	if err := w.f.call(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

type faultyLog struct {
	store.Log
	f *faulty
}

func (l *faultyLog) ReadAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := l.f.call(); err != nil {
		return 0, err
	}
	return l.Log.ReadAt(p, off)
}

func (l *faultyLog) Size(ctx context.Context) (int64, error) {
	if err := l.f.call(); err != nil {
		return 0, err
	}
	return l.Log.Size(ctx)
}

func (l *faultyLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	if err := l.f.call(); err != nil {
		return 0, err
	}
	return l.Log.Append(ctx, at, p)
}

func (l *faultyLog) Overwrite(at int64, was, now []byte) error {
	if err := l.f.call(); err != nil {
		return err
	}
	return l.Log.(interface {
		Overwrite(at int64, was, now []byte) error
	}).Overwrite(at, was, now)
}

func (l *faultyLog) Sync(ctx context.Context) error {
	if err := l.f.call(); err != nil {
		return err
	}
	return l.Log.Sync(ctx)
}

// An act is something that a session does, and what the file shows of it.
type act struct {
	text   string // of the file
	others string // what others append before
	do     func(*testing.T, *pith.Session) error
}

func acts() map[string]act {
	plain := head + line("a", "", "user", "one") + line("b", "a", "assistant", "two") + line("c", "a", "user", "other")
	old := oldHead + oldLine("user", "one") + oldLine("assistant", "two")
	add := func(t *testing.T, s *pith.Session) error {
		_, err := s.AppendMessage(t.Context(), message(t, "user", "mine"))
		return err
	}
	rename := func(_ *testing.T, s *pith.Session) error {
		_, err := s.SetName(context.Background(), "named")
		return err
	}
	copyOf := func(n *pith.Session, err error) error {
		if err != nil {
			return err
		}
		defer n.Close()
		all, err := all(n)
		if err == nil && !strings.Contains(all, `"text":"one"`) {
			err = fmt.Errorf("the copy has only %s", all)
		}
		return err
	}
	return map[string]act{
		"append":                   {text: plain, do: add},
		"append beside others":     {text: plain, others: line("d", "c", "user", "theirs"), do: add},
		"append behind a torn end": {text: plain + `{"type":"mess`, do: add},
		"append to an old file":    {text: old, do: add},
		"append to one that grew":  {text: old, others: oldLine("user", "theirs"), do: add},
		"name":                     {text: plain, do: rename},
		"name if unset": {text: plain, others: line("d", "c", "user", "theirs"), do: func(_ *testing.T, s *pith.Session) error {
			_, _, err := s.SetNameIfUnset(context.Background(), "named")
			return err
		}},
		"label": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			_, err := s.SetLabel(context.Background(), "a", "here")
			return err
		}},
		"summary": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			_, err := s.BranchWithSummary(context.Background(), "a", format.BranchSummary{Summary: "s"})
			return err
		}},
		"compaction": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			_, err := s.AppendCompaction(context.Background(), format.Compaction{Summary: "s", FirstKeptEntryID: "c"})
			return err
		}},
		"migrate": {text: old, do: func(t *testing.T, s *pith.Session) error {
			_, err := s.Migrate(t.Context())
			return err
		}},
		"refresh": {text: plain, others: line("d", "c", "user", "theirs"), do: func(t *testing.T, s *pith.Session) error {
			_, err := s.Refresh(t.Context())
			return err
		}},
		"extract": {text: plain, do: func(t *testing.T, s *pith.Session) error { return copyOf(s.Clone(t.Context(), "b")) }},
		"fork":    {text: plain, do: func(t *testing.T, s *pith.Session) error { return copyOf(s.Fork(t.Context(), "b")) }},
		"entry": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			_, err := s.Entry("a")
			return err
		}},
		"lines": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			_, err := all(s)
			return err
		}},
		"entries": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			for _, err := range s.View().Entries() {
				if err != nil {
					return err
				}
			}
			return nil
		}},
		"context": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			c, err := s.Context()
			if err != nil {
				return err
			}
			_, err = allOf(c)
			return err
		}},
		"repaired context": {text: plain, do: func(_ *testing.T, s *pith.Session) error {
			c, err := s.Context()
			if err != nil {
				return err
			}
			_, _, err = c.Repaired()
			return err
		}},
	}
}

// all are the lines of a session's entries.
func all(s *pith.Session) (string, error) {
	var b strings.Builder
	for l, err := range s.View().Reader().Lines() {
		if err != nil {
			return "", err
		}
		b.Write(l.Raw)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// Whichever call to the store fails, the operation returns that error, the file
// is unchanged, and the same session succeeds once the store works again: then
// a new reader of the file sees the same (pitfalls 26, 27, 30, 166).
func TestAnyCallFails(t *testing.T) {
	for name, a := range acts() {
		t.Run(name, func(t *testing.T) {
			for n := 1; actWithFault(t, a, n); n++ {
				if n > 200 {
					t.Fatal("it does not end")
				}
			}
		})
	}
}

// actWithFault lets the nth call of an act fail. It is false when there are fewer.
func actWithFault(t *testing.T, a act, n int) bool {
	t.Helper()
	path := filepath.Join(filepath.Dir(write(t, "")), "s.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(a.text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &faulty{Store: fileStore()}
	s := open(t, path, pith.Options{Store: f, OnConflict: pith.FollowNew, Force: true, Sync: true})
	foreign(t, path, a.others)
	before := read(t, path)
	f.failAt(n)
	err := a.do(t, s)
	failed := f.failed()
	f.failAt(0)
	switch {
	case failed && err != nil && !errors.Is(err, errFault):
		t.Errorf("call %d fails, and the error is %v", n, err)
	case failed && err != nil:
		if kept := read(t, path); kept != before && !errors.Is(err, pith.ErrNotDurable) {
			t.Errorf("call %d fails with %v, and the file changed:\n%s\nbefore:\n%s", n, err, kept, before)
		}
		if err := a.do(t, s); err != nil {
			t.Errorf("call %d failed; when the store is well again: %v", n, err)
		}
	case !failed && err != nil:
		t.Fatalf("without a fault: %v", err)
	}
	if a.others != "" {
		s.Follow() // the others' entries; a name alone does not go there
	}
	if got, want := account(t, s), account(t, open(t, path, pith.Options{})); got != want {
		t.Errorf("after call %d failed with %v the session is\n%s\na new reader sees\n%s", n, err, got, want)
	}
	return failed
}

// Opening ends with the error of the store, whatever call fails, and a cancelled
// copy leaves no file.
func TestOpeningFails(t *testing.T) {
	for name, text := range map[string]string{
		"now": head + line("a", "", "user", "one"),
		"old": oldHead + oldLine("user", "one"),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, text)
			for n := 1; ; n++ {
				f := &faulty{Store: fileStore()}
				f.failAt(n)
				s, err := pith.Open(t.Context(), path, pith.Options{Store: f})
				if !f.failed() {
					if err != nil || s.View().Len() != 1 {
						t.Errorf("Open = %v", err)
					}
					s.Close()
					return
				}
				if !errors.Is(err, errFault) {
					t.Errorf("call %d fails, and Open = %v", n, err)
				}
			}
		})
	}
}

// ForkFrom ends with the error of the store, whatever call fails, and leaves no file
// that is a part of the copy.
func TestForkFromFails(t *testing.T) {
	source := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two"))
	for n := 1; ; n++ {
		dir := t.TempDir()
		f := &faulty{Store: fileStore()}
		f.failAt(n)
		s, err := pith.ForkFrom(t.Context(), source, pith.Options{Cwd: "/q", Dir: dir, Store: f})
		failed := f.failed()
		f.failAt(0)
		if !failed {
			if err != nil || said(t, s) != "one|two" {
				t.Errorf("ForkFrom = %v", err)
			}
			s.Close()
			return
		}
		if !errors.Is(err, errFault) {
			t.Errorf("call %d fails, and ForkFrom = %v", n, err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		for _, file := range files { // made, and not read again
			if got := said(t, open(t, file, pith.Options{})); got != "one|two" {
				t.Errorf("call %d fails, and a part of the copy is left: %q", n, got)
			}
		}
	}
}

// A stuck store cannot close its logs.
type stuck struct{ store.Store }

func (s stuck) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := s.Store.Open(ctx, name)
	return stuckLog{log}, err
}

type stuckLog struct{ store.Log }

func (l stuckLog) Close() error { return errors.Join(errFault, l.Log.Close()) }

// Errors of closing a session are reported, once.
func TestCloseFails(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", "one")), pith.Options{Store: stuck{fileStore()}})
	if err := s.Close(); !errors.Is(err, errFault) {
		t.Errorf("Close = %v, want %v", err, errFault)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close again = %v", err)
	}
}
