package pith_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// ours returns a session of root, old1 and old2, while another process has
// continued at the root with "theirs".
func ours(t *testing.T, policy pith.ConflictPolicy) (*pith.Session, string) {
	t.Helper()
	path := write(t, head+line("root", "", "user", "root")+line("old1", "root", "assistant", "old1")+line("old2", "old1", "user", "old2"))
	s := open(t, path, pith.Options{OnConflict: policy})
	foreign(t, path, line("x", "root", "assistant", "theirs"))
	return s, path
}

// An entry that refers to another one is not written where that one is not on the
// path, whatever the policy is: it would hide what its author has not seen, or
// nothing at all.
func TestEntriesStayWithWhatTheyReferTo(t *testing.T) {
	for name, add := range map[string]func(context.Context, *pith.Session) (string, error){
		"compaction": func(ctx context.Context, s *pith.Session) (string, error) {
			return s.AppendCompaction(ctx, format.Compaction{Summary: "sum", FirstKeptEntryID: "old2"})
		},
		"compaction of everything": func(ctx context.Context, s *pith.Session) (string, error) {
			return s.AppendCompaction(ctx, format.Compaction{Summary: "sum"})
		},
		"context edit": func(ctx context.Context, s *pith.Session) (string, error) {
			return s.AppendContextEdit(ctx, "old2", nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, path := ours(t, pith.FollowNew)
			before := read(t, path)
			_, err := add(t.Context(), s)
			if _, ok := errors.AsType[*pith.StaleError](err); !ok {
				t.Errorf("following = %v; want a *StaleError", err)
			}
			if s.LeafID() != "old2" {
				t.Errorf("the leaf is at %s; want old2", s.LeafID())
			}
			if read(t, path) != before {
				t.Error("the file has changed")
			}
			s.Stay()
			id, err := add(t.Context(), s)
			if err != nil {
				t.Fatalf("staying = %v; want an entry", err)
			}
			if e, err := s.Entry(id); err != nil || e.Head().ParentID != "old2" {
				t.Errorf("the entry hangs at %s, %v; want old2", e.Head().ParentID, err)
			}
		})
		t.Run(name+" on a branch that others continue", func(t *testing.T) {
			path := write(t, head+line("old1", "", "user", "old1")+line("old2", "old1", "user", "old2"))
			s := open(t, path, pith.Options{OnConflict: pith.FollowNew})
			foreign(t, path, line("x", "old2", "assistant", "theirs"))
			_, err := add(t.Context(), s)
			if name == "compaction of everything" {
				if _, ok := errors.AsType[*pith.StaleError](err); !ok {
					t.Errorf("following = %v; want a *StaleError: the summary does not know what came", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("following = %v; want an entry", err)
			}
			if got := said(t, s); !strings.Contains(got, "theirs") {
				t.Errorf("the context is %q; want what the others said in it", got)
			}
		})
	}
}

func TestCompactionOfAnUnknownEntry(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "user", "two")+line("c", "a", "user", "three"))
	s := open(t, path, pith.Options{})
	before := read(t, path)
	if _, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "sum", FirstKeptEntryID: "nobody"}); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("an id that no entry has = %v; want ErrNoEntry", err)
	}
	if read(t, path) != before || s.LeafID() != "c" {
		t.Errorf("the file has changed, or the leaf, which is at %s", s.LeafID())
	}
	if _, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "sum", FirstKeptEntryID: "b"}); err != nil {
		t.Errorf("an entry of another branch = %v; want a compaction that keeps nothing, as in pi", err)
	}
}

// A label whose entry another program removes while it is set is not written.
func TestLabelOfAnEntryThatGoes(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "user", "two"))
	s := open(t, path, pith.Options{})
	replaceFile(t, path, head+line("a", "", "user", "one"))
	_, err := s.SetLabel(t.Context(), "b", "here")
	if _, ok := errors.AsType[*pith.StaleError](err); !ok {
		t.Errorf("SetLabel = %v; want a *StaleError", err)
	}
	if strings.Contains(read(t, path), "here") {
		t.Error("the label was written")
	}
}

// replaceFile puts a file in the place of another, as a program that rewrites it does.
func replaceFile(t testing.TB, path, text string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Date(2026, 2, 3, 22, 52, 7, 0, time.UTC)
	if err := errors.Join(os.Chtimes(other, then, then), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
}

// If another program removed the entry at the leaf, a name or a label does not
// move the leaf to the root: the next message continues what is left.
func TestNamesKeepThePosition(t *testing.T) {
	for name, describe := range map[string]func(context.Context, *pith.Session) (string, error){
		"name":  func(ctx context.Context, s *pith.Session) (string, error) { return s.SetName(ctx, "a name") },
		"label": func(ctx context.Context, s *pith.Session) (string, error) { return s.SetLabel(ctx, "a", "a label") },
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")+line("c", "b", "user", "three"))
			s := open(t, path, pith.Options{})
			replaceFile(t, path, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")+line("x", "a", "user", "theirs"))
			if _, err := describe(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			if got := s.LeafID(); got != "b" {
				t.Errorf("the leaf is at %q; want b, which is what is left of the branch", got)
			}
			s.Stay()
			say(t, s, "four")
			if got := said(t, s); got != "one|two|four" {
				t.Errorf("the context is %q; want one|two|four", got)
			}
		})
	}
}

// An append that fails leaves the leaf where it was.
func TestFailedAppendKeepsTheLeaf(t *testing.T) {
	f := &faulty{Store: fileStore()}
	path := write(t, head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{Store: f, OnConflict: pith.FollowNew})
	foreign(t, path, line("b", "a", "assistant", "theirs"))
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.failAt(1)
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "two")); !errors.Is(err, errFault) {
		t.Fatalf("AppendMessage = %v; want %v", err, errFault)
	}
	if s.LeafID() != "a" {
		t.Errorf("the leaf is at %s; want a", s.LeafID())
	}
	say(t, s, "two")
	if got := said(t, s); got != "one|theirs|two" {
		t.Errorf("the context is %q; want one|theirs|two", got)
	}
}

// Refresh counts what came and what went, so that 0 means that nothing is new.
func TestRefreshCounts(t *testing.T) {
	a, b, c := line("a", "", "user", "one"), line("b", "a", "user", "two"), line("c", "b", "user", "three")
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"nothing", head + a + b + c, 0},
		{"one more", head + a + b + c + line("d", "c", "user", "four"), 1},
		{"one for another", head + a + b + line("x", "b", "user", "other"), 2},
		{"one less", head + a + b, 1},
	} {
		s := open(t, write(t, head+a+b+c), pith.Options{})
		replaceFile(t, s.File(), tt.text)
		n, err := s.Refresh(t.Context())
		if n != tt.want || err != nil {
			t.Errorf("%s: Refresh() = %d, %v; want %d, nil", tt.name, n, err, tt.want)
		}
	}
}

// A file of oh-my-pi that another program cuts is being rewritten, as any other is.
func TestCutFileWithATitleSlot(t *testing.T) {
	slot := titleSlot("a title")
	path := write(t, slot+head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{Force: true})
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); !errors.Is(err, pith.ErrRewriting) {
		t.Errorf("Refresh() = %v; want ErrRewriting", err)
	}
}

// A view can be read as long as its session is open, however often the file is
// replaced.
func TestViewsOutliveReplacements(t *testing.T) {
	text := head + line("a", "", "user", "one")
	path := write(t, text)
	s := open(t, path, pith.Options{})
	view := s.View()
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		text += line(fmt.Sprint("n", i), "a", "user", "more")
		replaceFile(t, path, text)
		if n, err := s.Refresh(t.Context()); n != 1 || err != nil {
			t.Fatalf("Refresh() = %d, %v", n, err)
		}
	}
	if l, err := view.Line(0); err != nil || !strings.Contains(string(l.Raw), "one") {
		t.Errorf("Line(0) = %s, %v; want the entry", l.Raw, err)
	}
	if all, err := allOf(c); err != nil || len(all) != 1 {
		t.Errorf("All() = %d messages, %v; want 1", len(all), err)
	}
}

// A blocked store does not return from an append until it is let go.
type blocked struct {
	store.Store
	entered, free chan struct{}
}

func (b *blocked) Open(ctx context.Context, name string) (store.Log, error) {
	l, err := b.Store.Open(ctx, name)
	return &blockedLog{l, b}, err
}

type blockedLog struct {
	store.Log
	b *blocked
}

func (l *blockedLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	l.b.entered <- struct{}{}
	select {
	case <-l.b.free:
		return l.Log.Append(ctx, at, p)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Readers of a session do not wait for its writers; a second writer waits only
// as long as its context allows. A leaf that is moved during an append stays
// where it was moved.
func TestNobodyWaitsForAWriter(t *testing.T) {
	mem := memstore.New()
	l, err := mem.Create(t.Context(), "/s.jsonl", store.Bytes([]byte(head+line("a", "", "user", "one")+line("b", "a", "user", "two"))))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	b := &blocked{mem, make(chan struct{}), make(chan struct{})}
	s := open(t, "/s.jsonl", pith.Options{Store: b})
	done := make(chan error)
	go func() {
		_, err := s.AppendMessage(t.Context(), message(t, "user", "three"))
		done <- err
	}()
	<-b.entered // each of the following would block for ever
	if s.LeafID() != "b" || s.View().Len() != 2 || s.Name() != "" || s.ID() != "s1" || !s.Written() || s.NeedsMigration() || len(s.Findings()) != 0 || s.Header() == nil {
		t.Error("the session is not as it was before the append")
	}
	if got := said(t, s); got != "one|two" {
		t.Errorf("the context is %q; want one|two", got)
	}
	if _, err := s.Entry("a"); err != nil {
		t.Errorf("Entry = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.AppendMessage(ctx, message(t, "user", "late")); !errors.Is(err, context.Canceled) {
		t.Errorf("a second append = %v; want context.Canceled", err)
	}
	if _, err := s.Refresh(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Refresh = %v; want context.Canceled", err)
	}
	if err := s.Branch("a"); err != nil {
		t.Fatal(err)
	}
	b.free <- struct{}{}
	if err := <-done; err != nil {
		t.Fatalf("AppendMessage = %v", err)
	}
	if s.LeafID() != "a" || s.View().Len() != 3 {
		t.Errorf("the leaf is at %s of %d entries; want a, to which it was moved, of 3", s.LeafID(), s.View().Len())
	}
	go func() { <-b.entered; close(b.free) }() // the position, recorded by Close
}

// A message that was decoded, changed and appended is in the file as it was changed,
// with the fields that pith does not know.
func TestChangedMessageIsWrittenAsChanged(t *testing.T) {
	m, err := format.DecodeMessage([]byte(`{"role":"user","content":"before","mood":"calm","timestamp":1}`))
	if err != nil {
		t.Fatal(err)
	}
	m.(*format.User).Content = format.TextContent("after")
	path := write(t, head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{})
	if _, err := s.AppendMessage(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); strings.Contains(got, "before") || !strings.Contains(got, `"content":"after"`) || !strings.Contains(got, `"mood":"calm"`) {
		t.Errorf("the file holds %s", got)
	}
	if got := said(t, s); got != "one|after" {
		t.Errorf("the context is %q; want one|after", got)
	}
}
