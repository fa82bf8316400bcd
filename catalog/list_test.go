package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
)

// pitfall 51, pitfall 171: /w/a/b and /w/a-b share a directory.
func TestListFiltersByHeader(t *testing.T) {
	o := isolated(t, nil)
	shared := piFolder(o.Home, "/w/a/b")
	write(t, filepath.Join(shared, "1.jsonl"), simple("slash", "/w/a/b", 1))
	write(t, filepath.Join(shared, "2.jsonl"), simple("dash", "/w/a-b", 2))
	write(t, filepath.Join(shared, "3.jsonl"), session(`{"type":"session","id":"nowhere","timestamp":"2026-02-03T10:00:00.000Z"}`, message("user", user, 3)))
	write(t, filepath.Join(piFolder(o.Home, "/moved"), "4.jsonl"), simple("elsewhere", "/w/a/b/", 4))
	tests := map[string]string{
		"/w/a/b":  "elsewhere slash",
		"/w/a/b/": "elsewhere slash",
		"/w/a-b":  "dash",
		"/w":      "",
	}
	for cwd, want := range tests {
		if got, err := catalog.Sorted(catalog.List(t.Context(), cwd, o)); err != nil || ids(got) != want {
			t.Errorf("List(%q) = %q, %v; want %q", cwd, ids(got), err, want)
		}
	}
	// pitfall 23
	if got, err := catalog.Sorted(catalog.ListAll(t.Context(), o)); err != nil || ids(got) != "elsewhere nowhere dash slash" {
		t.Errorf("ListAll = %q, %v; want all four, newest first", ids(got), err)
	}
}

// pitfall 52
func TestListFlatFolder(t *testing.T) {
	o := isolated(t, nil)
	o.Dir = t.TempDir()
	write(t, filepath.Join(o.Dir, "1.jsonl"), simple("one", "/p", 1))
	write(t, filepath.Join(o.Dir, "2.jsonl"), simple("two", "/q", 2))
	write(t, filepath.Join(o.Dir, "sub", "3.jsonl"), simple("below", "/p", 3))
	write(t, filepath.Join(piFolder(o.Home, "/p"), "4.jsonl"), simple("default", "/p", 4))
	if got, err := catalog.Sorted(catalog.List(t.Context(), "/p", o)); err != nil || ids(got) != "one" || got[0].Root != catalog.RootCustom {
		t.Errorf("List(/p) = %q, %v; want one, of the custom root", ids(got), err)
	}
	if got, err := catalog.Sorted(catalog.ListAll(t.Context(), o)); err != nil || ids(got) != "two one" {
		t.Errorf("ListAll = %q, %v; want two one", ids(got), err)
	}
}

// pitfall 175: the shell's path of a linked directory and the real one.
func TestListLinkedDirectory(t *testing.T) {
	o := isolated(t, nil)
	real := filepath.Join(realTempDir(t), "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(real), "link")
	symlink(t, real, link)
	write(t, filepath.Join(piFolder(o.Home, real), "1.jsonl"), simple("physical", real, 1))
	write(t, filepath.Join(piFolder(o.Home, link), "2.jsonl"), simple("logical", link, 2))
	for _, cwd := range []string{real, link, link + "/."} {
		if got, err := catalog.Sorted(catalog.List(t.Context(), cwd, o)); err != nil || ids(got) != "logical physical" {
			t.Errorf("List(%q) = %q, %v; want logical physical", cwd, ids(got), err)
		}
	}
}

// pitfall 50
func TestLinkedFoldersAreFollowedOnce(t *testing.T) {
	o := isolated(t, nil)
	sessions := filepath.Join(o.Home, ".pi", "agent", "sessions")
	write(t, filepath.Join(sessions, "--p--", "1.jsonl"), simple("one", "/p", 1))
	outside := realTempDir(t)
	write(t, filepath.Join(outside, "2.jsonl"), simple("two", "/q", 2))
	symlink(t, filepath.Join(sessions, "--p--"), filepath.Join(sessions, "--again--"))
	symlink(t, outside, filepath.Join(sessions, "--q--"))
	symlink(t, outside, filepath.Join(sessions, "--r--"))
	symlink(t, sessions, filepath.Join(sessions, "loop"))
	symlink(t, filepath.Join(sessions, "--p--", "1.jsonl"), filepath.Join(sessions, "--p--", "0.jsonl"))
	symlink(t, write(t, filepath.Join(t.TempDir(), "kept.jsonl"), simple("three", "/p", 3)), filepath.Join(sessions, "--p--", "3.jsonl"))
	symlink(t, sessions, filepath.Join(o.Home, "alias"))
	env := map[string]string{"ATOMIC_CODING_AGENT_DIR": filepath.Join(o.Home, ".pi", "agent"), "OMP_CODING_AGENT_DIR": "/nowhere"}
	o.Getenv = func(name string) string { return env[name] }
	got, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
	if err != nil || ids(got) != "three two one" {
		t.Errorf("ListAll = %q, %v; want each session once: three two one", ids(got), err)
	}
	if path := filepath.Join(sessions, "--p--", "1.jsonl"); len(got) == 3 && got[2].Path != path {
		t.Errorf("path of one = %s, want %s, not a link to it", got[2].Path, path)
	}
}

// pitfall 48, pitfall 49
func TestBadFilesHideNoOthers(t *testing.T) {
	o := isolated(t, nil)
	dir := piFolder(o.Home, "/p")
	write(t, filepath.Join(dir, "good.jsonl"), simple("good", "/p", 1))
	write(t, filepath.Join(dir, "events.jsonl"), `{"recordType":"message"}`+"\n")
	write(t, filepath.Join(dir, "empty.jsonl"), "")
	write(t, filepath.Join(dir, "good.jsonl.2026.bak"), simple("backup", "/p", 1))
	write(t, filepath.Join(dir, "good", "Agent.jsonl"), simple("subagent", "/p", 5))
	write(t, filepath.Join(dir, "subagent-artifacts", "r_a.jsonl"), simple("artifact", "/p", 5))
	write(t, filepath.Join(dir, "folder.jsonl", "x.jsonl"), simple("inside", "/p", 5))
	symlink(t, filepath.Join(dir, "gone"), filepath.Join(dir, "dangling.jsonl"))
	symlink(t, filepath.Join(dir, "loop.jsonl"), filepath.Join(dir, "loop.jsonl"))
	makePipe(t, filepath.Join(dir, "pipe.jsonl"))
	// A session that lies in the root itself, and its artifacts.
	root := filepath.Dir(dir)
	write(t, filepath.Join(root, "stray.jsonl"), simple("stray", "/p", 2))
	write(t, filepath.Join(root, "stray", "Agent.jsonl"), simple("subagent2", "/p", 5))
	want := "stray good"
	unreadable := write(t, filepath.Join(dir, "secret.jsonl"), simple("secret", "/p", 3))
	if err := os.Chmod(unreadable, 0); err != nil {
		t.Fatal(err)
	}
	var skipped []string
	o.Skipped = func(path string, err error) { skipped = append(skipped, path) }
	if f, err := os.Open(unreadable); err == nil { // we are root, or this is Windows
		f.Close()
		want = "secret " + want
	} else {
		defer func() {
			if len(skipped) == 0 || skipped[0] != unreadable {
				t.Errorf("Skipped was told of %q, want %s", skipped, unreadable)
			}
		}()
	}
	if got, err := catalog.Sorted(catalog.List(t.Context(), "/p", o)); err != nil || ids(got) != want {
		t.Errorf("List = %q, %v; want %q", ids(got), err, want)
	}
	skipped = skipped[:min(len(skipped), 1)]
	if got, err := catalog.Resolve(t.Context(), "@", "/p", o); err != nil || got.ID != strings.Fields(want)[0] {
		t.Errorf("Resolve(@) = %q, %v; want %s", got.ID, err, strings.Fields(want)[0])
	}
}

// pitfall 56
func TestParentsThatAreGoneOrCircular(t *testing.T) {
	o := isolated(t, nil)
	dir := piFolder(o.Home, "/p")
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	write(t, a, session(header("a", "/p", fmt.Sprintf(`,"parentSession":%q`, b)), message("user", user, 1)))
	write(t, b, session(header("b", "/p", fmt.Sprintf(`,"parentSession":%q`, a)), message("user", user, 2)))
	write(t, filepath.Join(dir, "c.jsonl"), session(header("c", "/p", `,"parentSession":"/gone.jsonl"`), message("user", user, 3)))
	got, err := catalog.Sorted(catalog.List(t.Context(), "/p", o))
	if err != nil || ids(got) != "c b a" || got[0].ParentSession != "/gone.jsonl" || got[1].ParentSession != a {
		t.Errorf("List = %+v, %v; want c, b and a with their parents", got, err)
	}
}

// pitfall 53, pitfall 54, pitfall 36: a rename or a copy changes the file's time only.
func TestRecencyIsThatOfMessages(t *testing.T) {
	o := isolated(t, nil)
	dir := piFolder(o.Home, "/p")
	internal := `,"internal":true,"workflow":{"runId":"r","stageId":"s","stageName":"n"}`
	files := []struct {
		name, text string
		written    int // minutes
	}{
		{"old.jsonl", session(header("old", "/p"), message("user", user, 1), name("renamed", 90)), 90},
		{"new.jsonl", simple("new", "/p", 5), 2},
		{"older.jsonl", simple("older", "/p", 0), 80},
		{"machine.jsonl", session(header("machine", "/p", internal), message("user", user, 60)), 60},
	}
	for _, f := range files {
		path := write(t, filepath.Join(dir, f.name), f.text)
		if err := os.Chtimes(path, minute(f.written), minute(f.written)); err != nil {
			t.Fatal(err)
		}
	}
	seq := catalog.List(t.Context(), "/p", o)
	for range 2 { // a sequence can be ranged again
		if got, err := catalog.Sorted(seq); err != nil || ids(got) != "new old older" {
			t.Errorf("List = %q, %v; want new old older", ids(got), err)
		}
	}
	var order []string
	for info, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, info.ID)
	}
	if got := strings.Join(order, " "); got != "old older new" {
		t.Errorf("List yields %q; want the file written last first: old older new", got)
	}
	for ref, want := range map[string]string{"@": "new", "@1": "new", "@2": "old", "@3": "older"} {
		if got, err := catalog.Resolve(t.Context(), ref, "/p", o); err != nil || got.ID != want {
			t.Errorf("Resolve(%q) = %q, %v; want %s", ref, got.ID, err, want)
		}
	}
	o.IncludeInternal = true
	if got, err := catalog.Sorted(catalog.List(t.Context(), "/p", o)); err != nil || ids(got) != "machine new old older" {
		t.Errorf("List with internal sessions = %q, %v; want machine new old older", ids(got), err)
	}
	if got, err := catalog.Resolve(t.Context(), "@", "/p", o); err != nil || got.ID != "new" {
		t.Errorf("Resolve(@) = %q, %v; want new, not the machine's", got.ID, err)
	}
}

// pitfall 45
func TestListIsProgressiveAndEndsEarly(t *testing.T) {
	o := isolated(t, nil)
	for i := range 200 {
		write(t, filepath.Join(piFolder(o.Home, "/p"), fmt.Sprintf("%03d.jsonl", i)), simple(fmt.Sprintf("s%03d", i), "/p", i+1))
	}
	var done, total int
	o.Progress = func(d, n int) { done, total = d, n }
	rows := 0
	for _, err := range catalog.ListAll(t.Context(), o) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; rows != done || total != 200 {
			t.Fatalf("row %d came after %d of %d files; want it at once", rows, done, total)
		}
		if rows == 3 {
			break // goleak sees whether the workers end
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows = 0
	var last error
	for _, err := range catalog.ListAll(ctx, o) {
		if last = err; err == nil {
			rows++
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || rows >= 200 {
		t.Errorf("ListAll, cancelled after the first row, yields %d rows and ends with %v; want few and %v", rows, last, context.Canceled)
	}
	if _, err := catalog.Resolve(ctx, "s001", "/p", o); !errors.Is(err, context.Canceled) {
		t.Errorf("Resolve, cancelled = %v; want %v", err, context.Canceled)
	}
}

// A canceled list ends after a few more reads, however large the current file
// is.
func TestListIsCancelledWithinAFile(t *testing.T) {
	o := isolated(t, nil)
	long := message("user", `"`+strings.Repeat("x", 1<<20)+`"`, 1)
	write(t, filepath.Join(piFolder(o.Home, "/p"), "large.jsonl"), session(header("large", "/p"), strings.Repeat(long+"\n", 16)+long))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var reads, after atomic.Int64
	catalog.OnRead(&o, func(int) {
		switch n := reads.Add(1); {
		case n == 3:
			cancel()
		case n > 3:
			after.Add(1)
		}
	})
	told := 0
	for info, err := range catalog.ListAll(ctx, o) {
		if told++; !errors.Is(err, context.Canceled) {
			t.Errorf("ListAll, cancelled within a file, yields %q, %v; want %v", info.ID, err, context.Canceled)
		}
	}
	if told != 1 {
		t.Errorf("ListAll, cancelled within a file, tells so %d times; want once", told)
	}
	if reads.Load() < 3 || after.Load() > 2 {
		t.Errorf("%d reads, %d of them after the cancelling; want one more at most for each reader", reads.Load(), after.Load())
	}
}

// pitfall 46: what is allocated does not grow with the files.
func TestMemoryIsBounded(t *testing.T) {
	o := isolated(t, nil)
	dir := piFolder(o.Home, "/p")
	line := message("toolResult", `"`+strings.Repeat("output ", 2000)+`"`, 1) + "\n"
	text := simple("s", "/p", 2) + strings.Repeat(line, 600) // 8 MB
	for i := range 4 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), text)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
	runtime.ReadMemStats(&after)
	if err != nil || len(infos) != 4 || infos[0].MessageCount != 602 {
		t.Fatalf("ListAll = %d sessions, %v; want 4 with 602 messages", len(infos), err)
	}
	limit := uint64(runtime.GOMAXPROCS(0))*(512<<10) + 1<<20
	if got := after.TotalAlloc - before.TotalAlloc; got > limit {
		t.Errorf("listing %d MB allocated %d bytes, want at most %d", 4*len(text)>>20, got, limit)
	}
}

func TestNothingToList(t *testing.T) {
	o := isolated(t, nil)
	for _, dir := range []string{"", filepath.Join(o.Home, "gone")} {
		o.Dir = dir
		if got, err := catalog.Sorted(catalog.ListAll(t.Context(), o)); err != nil || len(got) != 0 {
			t.Errorf("ListAll in nothing = %q, %v; want none, no error", ids(got), err)
		}
	}
	if entries, err := os.ReadDir(o.Home); err != nil || len(entries) != 0 {
		t.Errorf("listing created %v, %v; want nothing", entries, err)
	}
}

// A list says of each session what opening it says.
func TestListAgreesWithOpen(t *testing.T) {
	var cases []struct{ Files map[string]string }
	readVectors(t, "list.json", &cases)
	for _, c := range cases {
		for name, text := range c.Files {
			if !strings.HasSuffix(name, ".jsonl") {
				continue
			}
			path := write(t, filepath.Join(t.TempDir(), name), text)
			info, err := readInfo(path, false)
			s, oerr := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
			if oerr != nil {
				if !errors.Is(err, pith.ErrNotSession) {
					t.Errorf("%s: ReadInfo = %v, Open = %v", name, err, oerr)
				}
				continue
			}
			if err != nil || info.ID != s.ID() || info.Entries != s.View().Len() || info.Name != s.Name() || info.Cwd != s.Cwd() {
				t.Errorf("ReadInfo = %s, %d entries, %q, %s, %v; Open has %s, %d, %q, %s",
					info.ID, info.Entries, info.Name, info.Cwd, err, s.ID(), s.View().Len(), s.Name(), s.Cwd())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// pitfall 172: pi cannot make a directory for such a path.
func TestListVeryLongDirectory(t *testing.T) {
	o := isolated(t, nil)
	cwd := "/" + strings.Repeat("long/", 70) + "end"
	if name := format.ProjectDir(cwd); len(name) > 255 {
		t.Fatalf("ProjectDir makes a name of %d bytes", len(name))
	}
	write(t, filepath.Join(piFolder(o.Home, cwd), "s.jsonl"), simple("s", cwd, 1))
	if got, err := catalog.Sorted(catalog.List(t.Context(), cwd, o)); err != nil || ids(got) != "s" {
		t.Errorf("List of a long directory = %q, %v; want s", ids(got), err)
	}
}

// A list comes as files were written, the last one first, whatever their names.
func TestListOrder(t *testing.T) {
	o := isolated(t, nil)
	for i, name := range []string{"b", "d", "a", "c"} {
		path := write(t, filepath.Join(piFolder(o.Home, "/p"), name+".jsonl"), simple(name, "/p", 1))
		at := time.Date(2026, 2, 3, 10, i, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, seq := range map[string]iter.Seq2[catalog.Info, error]{"List": catalog.List(t.Context(), "/p", o), "ListAll": catalog.ListAll(t.Context(), o)} {
		var got []catalog.Info
		for info, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, info)
		}
		if ids(got) != "c a d b" {
			t.Errorf("%s yields %s, want c a d b", name, ids(got))
		}
	}
}
