package pith_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// foreign appends lines to a file as pi does: without a lock, without looking.
func foreign(t testing.TB, path string, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "")); err != nil {
		t.Fatal(err)
	}
}

// A file that was rewritten in place, to the length that it had, is noticed by an
// append (pitfall 32).
func TestRewrittenToTheSameLength(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two"))
	s := open(t, path, pith.Options{})
	say(t, s, "three")
	ours := s.LeafID()
	theirs := strings.NewReplacer(ours, "ffff0000", "three", "other").Replace(read(t, path))
	if err := os.WriteFile(path, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "four")); !isStale(err) {
		t.Errorf("AppendMessage = %v, want a *StaleError", err)
	}
	if got := read(t, path); got != theirs {
		t.Errorf("a refused append wrote:\n%s", got)
	}
	s.Follow()
	say(t, s, "four")
	if got := said(t, open(t, path, pith.Options{})); got != "one|two|other|four" {
		t.Errorf("said = %q", got)
	}
}

// When others have continued, an append refuses, follows or stays, as chosen
// (pitfalls 161, 165, 170).
func TestConflictPolicies(t *testing.T) {
	tests := map[string]struct {
		policy pith.ConflictPolicy
		act    func(*pith.Session)
		said   string
	}{
		"follow":           {pith.FollowNew, nil, "one|theirs|mine"},
		"stay":             {pith.StayOnBranch, nil, "one|mine"},
		"refuse, follow":   {pith.Refuse, (*pith.Session).Follow, "one|theirs|mine"},
		"refuse, stay":     {pith.Refuse, (*pith.Session).Stay, "one|mine"},
		"refuse, branch a": {pith.Refuse, func(s *pith.Session) { _ = s.Branch("a") }, "one|mine"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, head+line("a", "", "user", "one"))
			s := open(t, path, pith.Options{OnConflict: tt.policy})
			foreign(t, path, line("b", "a", "assistant", "theirs"))
			if tt.policy == pith.Refuse {
				before := read(t, path)
				_, err := s.AppendMessage(t.Context(), message(t, "user", "mine"))
				var stale *pith.StaleError
				if !errors.As(err, &stale) {
					t.Fatalf("AppendMessage = %v, want a *StaleError", err)
				}
				if fmt.Sprint(stale.Entries) != "[b]" || stale.Leaf != "b" {
					t.Errorf("stale = %+v, want entry and leaf b", stale)
				}
				if read(t, path) != before {
					t.Error("a refused append wrote")
				}
				if s.View().Len() != 2 {
					t.Errorf("Len() = %d, want 2: the tree must be up to date", s.View().Len())
				}
				if _, err := s.AppendMessage(t.Context(), message(t, "user", "mine")); !isStale(err) {
					t.Errorf("second AppendMessage without a decision = %v, want ErrStale", err)
				}
				tt.act(s)
			}
			say(t, s, "mine")
			if got := said(t, open(t, path, pith.Options{})); got != tt.said {
				t.Errorf("said = %q, want %q", got, tt.said)
			}
		})
	}
}

// A session whose leaf was moved on purpose continues there, whatever others
// write in the meantime.
func TestFollowKeepsAChosenPlace(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two"))
	s := open(t, path, pith.Options{OnConflict: pith.FollowNew})
	if err := s.Branch("a"); err != nil {
		t.Fatal(err)
	}
	foreign(t, path, line("c", "b", "user", "theirs"))
	say(t, s, "mine")
	if got := said(t, s); got != "one|mine" {
		t.Errorf("said = %q, want %q", got, "one|mine")
	}
}

// A name or label from a stale window hides nothing (pitfalls 77, 138; the
// most reported loss): A opens, B opens, A appends ten, B renames.
func TestStaleRenameHidesNothing(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two"))
	a := open(t, path, pith.Options{})
	b := open(t, path, pith.Options{})
	for i := range 10 {
		say(t, a, fmt.Sprint(i))
	}
	if _, err := b.SetName(t.Context(), "renamed"); err != nil {
		t.Fatalf("SetName from a stale window: %v", err)
	}
	if _, err := b.SetLabel(t.Context(), "a", "start"); err != nil {
		t.Fatalf("SetLabel from a stale window: %v", err)
	}
	again := open(t, path, pith.Options{})
	if got := said(t, again); got != "one|two|0|1|2|3|4|5|6|7|8|9" {
		t.Errorf("said = %q, want all twelve", got)
	}
	if again.Name() != "renamed" || again.View().Label("a") != "start" {
		t.Errorf("name %q, label %q", again.Name(), again.View().Label("a"))
	}
	if got := said(t, b); got != "one|two" {
		t.Errorf("the stale window moved without a decision: said %q", got)
	}
	if _, err := b.AppendMessage(t.Context(), message(t, "user", "x")); !isStale(err) {
		t.Errorf("AppendMessage of the stale window = %v, want ErrStale", err)
	}
}

// The last entry of the file is the leaf, whatever its kind, as in pi: also a
// name or a label below an older entry (pitfall 77).
func TestLastEntryIsTheLeaf(t *testing.T) {
	text := head + line("a", "", "user", "one") + line("b", "a", "assistant", "two") + line("c", "b", "user", "three")
	kinds := []string{
		`"session_info","name":"renamed"`, `"label","targetId":"b","label":"x"`, `"custom","customType":"session_exit"`, `"usage"`, `"title_change","title":"t"`, `"session_exit"`,
	}
	for _, kind := range kinds {
		last := `{"type":` + kind + `,"id":"x","parentId":"a","timestamp":"2026-02-03T22:52:09.000Z"}` + "\n"
		if s := open(t, write(t, text+last), pith.Options{}); s.LeafID() != "x" || said(t, s) != "one" {
			t.Errorf("with %s at the end the leaf is %s, said %q; want x, below the first message", kind, s.LeafID(), said(t, s))
		}
	}
}

// After a stale window wrote a name, a name from a window that has the newer
// messages is written below these, so that every reader sees them again.
func TestNameAfterStaleName(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two"))
	s := open(t, path, pith.Options{})
	foreign(t, path, `{"type":"session_info","id":"n","parentId":"a","timestamp":"2026-02-03T22:52:09.000Z","name":"stale"}`+"\n")
	if _, err := s.SetName(t.Context(), "mine"); err != nil {
		t.Fatal(err)
	}
	if again := open(t, path, pith.Options{}); said(t, again) != "one|two" || again.Name() != "mine" {
		t.Errorf("said %q, name %q; want both messages and the new name", said(t, again), again.Name())
	}
}

// Two handles in one process behave like two processes (pitfall 168), and no
// line is lost when many append concurrently (pitfall 24).
func TestManyHandles(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one"))
	const handles, each = 8, 40
	var wg sync.WaitGroup
	for h := range handles {
		s := open(t, path, pith.Options{OnConflict: pith.FollowNew})
		wg.Go(func() {
			for i := range each {
				if _, err := s.AppendMessage(t.Context(), message(t, "user", fmt.Sprintf("%d.%d", h, i))); err != nil {
					t.Errorf("AppendMessage: %v", err)
				}
			}
		})
	}
	wg.Wait()
	s := open(t, path, pith.Options{})
	if got := len(strings.Split(said(t, s), "|")); got != handles*each+1 {
		t.Errorf("%d messages on the path, want %d: none lost, none hidden", got, handles*each+1)
	}
	if len(s.Findings()) != 0 {
		t.Errorf("findings: %v", s.Findings())
	}
}

// A reader of a live file sees partial lines as torn and whole ones as they
// come (pitfall 169).
func TestTailing(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{ReadOnly: true})
	next := line("b", "a", "assistant", "two")
	foreign(t, path, next[:50])
	if n, err := s.Refresh(t.Context()); n != 0 || err != nil || codes(s) != "torn" {
		t.Errorf("Refresh over half a line = %d, %v, findings %q", n, err, codes(s))
	}
	foreign(t, path, next[50:])
	if n, err := s.Refresh(t.Context()); n != 1 || err != nil || codes(s) != "" {
		t.Errorf("Refresh over the other half = %d, %v, findings %q", n, err, codes(s))
	}
	s.Follow()
	if got := said(t, s); got != "one|two" {
		t.Errorf("said = %q, want %q", got, "one|two")
	}
	foreign(t, path, strings.TrimSuffix(line("c", "b", "user", "three"), "\n"))
	if n, err := s.Refresh(t.Context()); n != 1 || err != nil {
		t.Errorf("Refresh over a line without an end = %d, %v", n, err)
	}
	foreign(t, path, "\n"+line("d", "c", "user", "four"))
	if n, err := s.Refresh(t.Context()); n != 1 || err != nil || codes(s) != "" {
		t.Errorf("Refresh = %d, %v, findings %q", n, err, codes(s))
	}
}

// A truncated file is noticed, not written to at a wrong place (pitfalls 32, 167).
func TestTruncated(t *testing.T) {
	a := line("a", "", "user", "one")
	path := write(t, head+a+line("b", "a", "assistant", "two"))
	now := clock()
	s := open(t, path, pith.Options{OnConflict: pith.FollowNew, Now: func() time.Time { return now }})
	for _, size := range []int{0, len(head), len(head) + len(a)} { // as a program does that rewrites it
		if err := os.WriteFile(path, []byte((head + a)[:size]), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendMessage(t.Context(), message(t, "user", "too early")); !errors.Is(err, pith.ErrRewriting) {
			t.Fatalf("AppendMessage to a file of %d bytes = %v, want ErrRewriting", size, err)
		}
		if s.View().Len() != 2 {
			t.Errorf("the session has %d entries, want 2: it must not forget", s.View().Len())
		}
	}
	now = now.Add(time.Second)
	say(t, s, "next")
	if got := said(t, open(t, path, pith.Options{})); got != "one|next" {
		t.Errorf("said = %q, want %q", got, "one|next")
	}
}

// A file that was cut, grew back and is cut again is being rewritten again: that
// it was as short before, long ago, does not make it whole (pitfall 32).
func TestTruncatedTwice(t *testing.T) {
	whole := head + line("a", "", "user", "one")
	path := write(t, whole)
	now := clock()
	s := open(t, path, pith.Options{Now: func() time.Time { return now }})
	for range 2 {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Refresh(t.Context()); !errors.Is(err, pith.ErrRewriting) {
			t.Fatalf("Refresh() of a file that was just cut = %v, want ErrRewriting", err)
		}
		if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatalf("Refresh() of the file as it was = %v, want nil", err)
		}
		now = now.Add(time.Hour)
	}
}

// An entry that the file does not hold any more is an error about the file, not
// about a line.
func TestEntryOfATruncatedFile(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{})
	if err := os.Truncate(path, int64(len(head))+10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Entry("a"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Entry(a) = %v, want ErrUnexpectedEOF", err)
	}
}

// isStale reports whether an append was refused because others had written.
func isStale(err error) bool {
	_, ok := errors.AsType[*pith.StaleError](err)
	return ok
}

// A file whose size keeps changing is being rewritten, and is complete after
// half a second without changes. A missing entry is then reported, and nothing
// is appended until the caller has decided.
func TestTruncatedSlowly(t *testing.T) {
	a, b := line("a", "", "user", "one"), line("b", "a", "assistant", "two")
	path := write(t, head+a+b)
	now := clock()
	s := open(t, path, pith.Options{Now: func() time.Time { return now }})
	add := func() error {
		_, err := s.AppendMessage(t.Context(), message(t, "user", "next"))
		return err
	}
	for _, size := range []int{len(head), 0, len(head) + 5, len(head) + len(a)} {
		if err := os.WriteFile(path, []byte((head + a)[:size]), 0o600); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
		if err := add(); !errors.Is(err, pith.ErrRewriting) {
			t.Fatalf("AppendMessage to a file of %d bytes = %v, want ErrRewriting", size, err)
		}
	}
	now = now.Add(499 * time.Millisecond)
	if err := add(); !errors.Is(err, pith.ErrRewriting) {
		t.Errorf("AppendMessage before it has rested = %v, want ErrRewriting", err)
	}
	now = now.Add(time.Millisecond)
	var stale *pith.StaleError
	if err := add(); !errors.As(err, &stale) || stale.Leaf != "a" || len(stale.Entries) != 0 {
		t.Fatalf("AppendMessage = %v (%+v), want that the leaf is gone", err, stale)
	}
	s.Follow()
	if err := add(); err != nil {
		t.Fatal(err)
	}
	if got := said(t, open(t, path, pith.Options{})); got != "one|next" {
		t.Errorf("said = %q, want %q", got, "one|next")
	}
}

// A busy store is written to by others before each append, and counts its open logs.
type busy struct {
	store.Store
	tries int
	open  atomic.Int32
}

func (b *busy) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := b.Store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	b.open.Add(1)
	return &busyLog{log, b}, nil
}

func (b *busy) Replace(ctx context.Context, old store.Log, size int64, _ store.Fill, _ string) (store.Log, error) {
	b.tries++
	return nil, &store.ConflictError{Want: size, Have: size + 1}
}

type busyLog struct {
	store.Log
	b *busy
}

func (l *busyLog) Append(ctx context.Context, at int64, _ []byte) (int64, error) {
	l.b.tries++
	return 0, &store.ConflictError{Want: at, Have: at + 1}
}

func (l *busyLog) Close() error {
	l.b.open.Add(-1)
	return l.Log.Close()
}

// A writer that never gets a turn gets an error, after a while.
func TestAlwaysLate(t *testing.T) {
	for name, text := range map[string]string{"now": head + line("a", "", "user", "one"), "old": oldHead + oldLine("user", "one")} {
		t.Run(name, func(t *testing.T) {
			b := &busy{Store: fileStore()}
			s := open(t, write(t, text), pith.Options{Store: b})
			if _, err := s.AppendMessage(t.Context(), message(t, "user", "x")); !errors.Is(err, store.ErrConflict) || b.tries != 1000 {
				t.Errorf("AppendMessage = %v after %d tries; want a conflict after 1000", err, b.tries)
			}
			b.tries = 0
			if _, err := s.Migrate(t.Context()); name == "old" && (!errors.Is(err, store.ErrConflict) || b.tries != 1000) {
				t.Errorf("Migrate = %v after %d tries; want a conflict after 1000", err, b.tries)
			}
		})
	}
}

// However often a file is replaced under a session, entries read before can
// still be read, until the session is closed.
func TestReplacedOften(t *testing.T) {
	text := head + line("a", "", "user", "one")
	path := write(t, text)
	b := &busy{Store: fileStore()}
	s := open(t, path, pith.Options{Store: b})
	var before *pith.View
	for i := range 10 {
		before = s.View()
		text += line(fmt.Sprint("b", i), "a", "user", "more")
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Refresh(t.Context()); n != 1 || err != nil {
			t.Fatalf("Refresh = %d, %v; want 1", n, err)
		}
		if l, err := before.Line(0); err != nil || l.ID != "a" {
			t.Errorf("a view from before: %v", err)
		}
	}
	if l, err := before.Line(0); err != nil || l.ID != "a" {
		t.Errorf("a view from before: %v", err)
	}
	if err := s.Close(); err != nil || b.open.Load() != 0 {
		t.Errorf("after Close = %v %d files are open", err, b.open.Load())
	}
}

// A file that is replaced again and again, before every write, ends an append
// with an error, and nothing recurses.
func TestAppendToEndlesslyReplacedFile(t *testing.T) {
	m := memstore.New()
	log, err := m.Create(t.Context(), "/s.jsonl", store.Bytes([]byte(head+line("a", "", "user", "one"))))
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, "/s.jsonl", pith.Options{Store: replacing{m}})
	if _, err := s.SetName(t.Context(), "x"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("SetName = %v, want %v", err, store.ErrConflict)
	}
	if got, err := log.Size(t.Context()); err != nil || got != int64(len(head+line("a", "", "user", "one"))) {
		t.Errorf("the file has %d bytes, %v; want it unchanged", got, err)
	}
	if s.LeafID() != "a" {
		t.Errorf("the leaf is %q, want a", s.LeafID())
	}
}

// replacing is a store in which another program replaces every log before it is
// appended to.
type replacing struct{ store.Store }

func (r replacing) Open(ctx context.Context, name string) (store.Log, error) {
	l, err := r.Store.Open(ctx, name)
	return &replacedLog{Log: l}, err
}

type replacedLog struct {
	store.Log
	gone bool
}

func (l *replacedLog) Append(context.Context, int64, []byte) (int64, error) {
	l.gone = true
	return 0, store.ErrGone
}

func (l *replacedLog) Size(ctx context.Context) (int64, error) {
	if l.gone {
		return 0, store.ErrGone
	}
	return l.Log.Size(ctx)
}
