package pith_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
)

// A line that was cut just after a nested object is torn, like any other: the
// object is not an entry, and the file is not taken for an old one (pitfalls 1,
// 4).
func TestTornBehindNestedObject(t *testing.T) {
	one := line("a", "", "user", "one")
	begin := `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[`
	for name, block := range map[string]string{
		"text":      `{"type":"text","text":"hi"}`,
		"tool call": `{"type":"toolCall","id":"call_1","name":"bash","arguments":{}}`,
		"dated":     `{"type":"note","timestamp":"2026-02-03T22:52:08.000Z"}`,
		"date":      `{"timestamp":"2026-02-03T22:52:08.000Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			text := head + one + begin + block
			path := write(t, text)
			s := open(t, path, pith.Options{})
			if s.View().Len() != 1 || s.LeafID() != "a" || codes(s) != "torn" || s.NeedsMigration() {
				t.Errorf("Len() = %d, leaf %q, findings %q, NeedsMigration() = %t; want 1, a, torn, false",
					s.View().Len(), s.LeafID(), codes(s), s.NeedsMigration())
			}
			say(t, s, "next")
			if got := read(t, path); !strings.HasPrefix(got, text+"\n{") {
				t.Errorf("the file after the append:\n%s\nwant what was there, and the new line below it", got)
			}
			fused := write(t, text+line("c", "a", "user", "two"))
			if s := open(t, fused, pith.Options{}); s.View().Len() != 2 || codes(s) != "fused" || said(t, s) != "one|two" {
				t.Errorf("behind it a whole entry: Len() = %d, findings %q, said %q; want 2, fused, one|two", s.View().Len(), codes(s), said(t, s))
			}
		})
	}
}

// After a torn line was sealed, the session reports what a new reader of the
// file reports (pitfall 1).
func TestSealedLineStaysReported(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")[:60])
	s := open(t, path, pith.Options{})
	say(t, s, "next")
	say(t, s, "after")
	again := open(t, path, pith.Options{})
	if got, want := s.Findings(), again.Findings(); len(got) != 1 || len(want) != 1 || got[0] != want[0] {
		t.Errorf("findings = %v; a new reader has %v; want the same one", got, want)
	}
}

const oldHead = `{"type":"session","id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}` + "\n"

func oldLine(role, text string) string {
	return `{"type":"message","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"` + role + `","content":"` + text + `"}}` + "\n"
}

// Entries that others append to a file of an old version between its opening
// and its migration are in the new file too, and in the conversation (pitfalls
// 165, 167).
func TestOldFileGrewBeforeMigration(t *testing.T) {
	tests := map[string]struct {
		policy pith.ConflictPolicy
		said   string
	}{
		"follow": {pith.FollowNew, "one|two|theirs|mine"},
		"stay":   {pith.StayOnBranch, "one|two|mine"},
		"refuse": {pith.Refuse, "one|two|theirs|mine"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, oldHead+oldLine("user", "one")+oldLine("assistant", "two"))
			s := open(t, path, pith.Options{OnConflict: tt.policy})
			foreign(t, path, oldLine("user", "theirs"))
			if tt.policy == pith.Refuse {
				_, err := s.AppendMessage(t.Context(), message(t, "user", "mine"))
				var stale *pith.StaleError
				if !errors.As(err, &stale) || len(stale.Entries) != 1 {
					t.Fatalf("AppendMessage = %v, want a *StaleError about one entry", err)
				}
				s.Follow()
			}
			say(t, s, "mine")
			again := open(t, path, pith.Options{})
			if got := said(t, again); got != tt.said || again.View().Len() != 4 {
				t.Errorf("said = %q of %d entries, want %q of 4", got, again.View().Len(), tt.said)
			}
		})
	}
	path := write(t, oldHead+oldLine("user", "one"))
	s := open(t, path, pith.Options{})
	foreign(t, path, oldLine("user", "theirs"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Errorf("Migrate of a file that grew = %v, want nil", err)
	}
	if got := said(t, open(t, path, pith.Options{})); got != "one|theirs" {
		t.Errorf("said = %q, want %q", got, "one|theirs")
	}
}

// An entry that came to a file of an old version is migrated as those before it are,
// also where the versions differ in no length.
func TestOldFileGrewWhileItIsRead(t *testing.T) {
	hook := `{"type":"message","id":"b","parentId":"a0000001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"hookMessage","customType":"x","content":"theirs","display":true,"timestamp":1}}` + "\n"
	s := open(t, write(t, oldSession), pith.Options{})
	foreign(t, s.File(), hook)
	if n, err := s.Refresh(t.Context()); n != 1 || err != nil {
		t.Errorf("Refresh = %d, %v, want one entry", n, err)
	}
	e, err := s.Entry("b")
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := e.(*format.MessageEntry); !ok || m.Message.Role() != format.RoleCustom {
		t.Errorf("the entry is %+v, want a message of an extension as version 3 has it", e)
	}
}

// If another process migrates the file, a session that has the old one open
// continues in the new one (pitfalls 31, 166).
func TestMigratedByAnother(t *testing.T) {
	path := write(t, oldHead+oldLine("user", "one"))
	a := open(t, path, pith.Options{OnConflict: pith.FollowNew})
	b := open(t, path, pith.Options{OnConflict: pith.FollowNew})
	c := open(t, path, pith.Options{})
	say(t, a, "two")
	say(t, b, "three")
	if _, err := c.AppendMessage(t.Context(), message(t, "user", "four")); !isStale(err) {
		t.Errorf("AppendMessage = %v, want ErrStale", err)
	}
	c.Follow()
	say(t, c, "four")
	say(t, a, "five")
	s := open(t, path, pith.Options{})
	if got, want := said(t, s), "one|two|three|four|five"; got != want || codes(s) != "" {
		t.Errorf("said = %q, findings %q, want %q and none", got, codes(s), want)
	}
	backups, _ := filepath.Glob(path + "*.bak")
	if len(backups) != 1 {
		t.Errorf("backups = %v, want one", backups)
	}
}

// A file with the same name that is another session is not written to (pitfall 31).
func TestReplacedByAnotherSession(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{OnConflict: pith.FollowNew})
	other := strings.Replace(head, `"s1"`, `"s2"`, 1) + line("x", "", "user", "other")
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(other), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "mine")); !errors.Is(err, store.ErrGone) {
		t.Errorf("AppendMessage = %v, want ErrGone", err)
	}
	if read(t, path) != other || s.View().Len() != 1 {
		t.Errorf("the other session's file was changed, or taken for this one (%d entries)", s.View().Len())
	}
}

// A hasty store lets a program without locks write at bad moments.
type hasty struct {
	store.Store
	before, after func() // run once, around the next append
}

func (h *hasty) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := h.Store.Open(ctx, name)
	return &hastyLog{log, h}, err
}

type hastyLog struct {
	store.Log
	h *hasty
}

func (l *hastyLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	before, after := l.h.before, l.h.after
	l.h.before, l.h.after = nil, nil
	if before == nil {
		return l.Log.Append(ctx, at, p)
	}
	// The check of the length is over; now a stranger writes, and then p.
	before()
	size, err := l.Log.Size(ctx)
	if err != nil {
		return 0, err
	}
	off, err := l.Log.Append(ctx, size, p)
	after()
	return off, err
}

// A program without locks that writes between check and write, and again right
// after it, is seen: the next append follows it, or refuses (pitfalls 165, 170).
func TestInterleaved(t *testing.T) {
	for name, policy := range map[string]pith.ConflictPolicy{"follow": pith.FollowNew, "refuse": pith.Refuse} {
		t.Run(name, func(t *testing.T) {
			path := write(t, head+line("a", "", "user", "one"))
			h := &hasty{Store: fileStore()}
			s := open(t, path, pith.Options{Store: h, OnConflict: policy})
			h.before = func() { foreign(t, path, line("p1", "a", "user", "first of theirs")) }
			h.after = func() { foreign(t, path, line("p2", "p1", "user", "second of theirs")) }
			mine := say(t, s, "mine")
			if s.LeafID() != mine || s.View().Len() != 4 {
				t.Errorf("leaf %q of %d entries, want %q of 4", s.LeafID(), s.View().Len(), mine)
			}
			if policy == pith.Refuse {
				if _, err := s.AppendMessage(t.Context(), message(t, "user", "next")); !isStale(err) {
					t.Fatalf("AppendMessage = %v, want ErrStale", err)
				}
				s.Follow()
			}
			say(t, s, "next")
			again := open(t, path, pith.Options{})
			if got, want := said(t, again), "one|first of theirs|second of theirs|next"; got != want || codes(again) != "" {
				t.Errorf("said = %q, findings %q, want %q and none", got, codes(again), want)
			}
		})
	}
}

// An old file is migrated to one that pi reads, line by line, whatever was before its
// header, between its lines and at its end.
func TestMigrationOfOddLines(t *testing.T) {
	one, two := oldLine("user", "one"), oldLine("assistant", "two")
	for name, text := range map[string]string{
		"plain":              oldHead + one + two,
		"a byte order mark":  "\xef\xbb\xbf" + oldHead + one + two,
		"two on one line":    oldHead + strings.TrimSuffix(one, "\n") + two,
		"header and a line":  strings.TrimSuffix(oldHead, "\n") + one + two,
		"no end of the last": oldHead + one + strings.TrimSuffix(two, "\n"),
		"a torn end":         oldHead + one + two + `{"type":"mess`,
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, text)
			s := open(t, path, pith.Options{})
			backup, err := s.Migrate(t.Context())
			if err != nil || read(t, backup) != text {
				t.Fatalf("Migrate = %q, %v; want the file as it was", backup, err)
			}
			now := read(t, path)
			for l := range strings.Lines(now) {
				if !strings.HasPrefix(l, "{") || !strings.HasSuffix(l, "\n") || strings.Count(l, `{"type":`) != 1 {
					t.Errorf("a line is %q in\n%s", l, now)
				}
			}
			say(t, s, "three")
			if got := said(t, open(t, path, pith.Options{})); got != "one|two|three" || !strings.HasPrefix(read(t, path), now) {
				t.Errorf("said %q, want one|two|three", got)
			}
			if backup, err := s.Migrate(t.Context()); backup != "" || err != nil {
				t.Errorf("Migrate again = %q, %v; want nothing to do", backup, err)
			}
		})
	}
}

// An entry after a last line that lacked its end, or was torn, is read as it
// was written, by this session and by a new one (pitfalls 1, 2).
func TestAppendBehindAnOpenLine(t *testing.T) {
	whole := head + line("a", "", "user", "one")
	for name, text := range map[string]string{"whole": whole, "no end": strings.TrimSuffix(whole, "\n"), "torn": whole + `{"type":"mess`} {
		t.Run(name, func(t *testing.T) {
			s := open(t, write(t, text), pith.Options{})
			for range 2 {
				id := say(t, s, "next")
				if e, err := s.Entry(id); err != nil || e.Head().ID != id {
					t.Errorf("Entry(%s) = %+v, %v", id, e, err)
				}
			}
			if got, want := account(t, s), account(t, open(t, s.File(), pith.Options{})); got != want {
				t.Errorf("the session is\n%s\na new reader sees\n%s", got, want)
			}
		})
	}
}
