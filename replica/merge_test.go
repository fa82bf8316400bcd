package replica_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store/filestore"
)

// Two machines that added to one session have the union afterwards, each at its own
// position, and then nothing more to do.
func TestUnion(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	b.pull()
	a.add(message("0000000a", "00000001", "at a"))
	b.add(message("0000000b", "00000001", "at b"), message("000000bb", "0000000b", "at b again"))
	for range 3 {
		a.push()
		b.push()
		a.pull()
		b.pull()
	}
	if !maps.Equal(entries(a.read()), entries(b.read())) || len(entries(a.read())) != 5 {
		t.Errorf("a has\n%sb has\n%s", a.read(), b.read())
	}
	if leaf, _ := a.session(); !strings.Contains(a.read(), `"id":"`+leaf+`","parentId":"0000000a"`) {
		t.Errorf("a stands at %s; want a position below 0000000a\n%s", leaf, a.read())
	}
	before := a.read() + b.read()
	for range 3 { // nothing goes to and fro for ever
		if n := a.push().Bytes + b.push().Bytes + a.pull().Bytes + b.pull().Bytes; n != 0 {
			t.Errorf("%d bytes were moved though nothing changed", n)
		}
	}
	if a.read()+b.read() != before {
		t.Error("files changed though nothing changed")
	}
}

// A session that many machines added to is not read again for each of them.
func TestManyCopiesAreReadOnce(t *testing.T) {
	const machines = 24
	s := newTeam(t)
	base := header(sessionID) + message("00000001", "", strings.Repeat("long ", 20_000))
	for i := range machines {
		m := newSite(t, s, fmt.Sprintf("m%d", i))
		m.write(base, message(fmt.Sprintf("%08x", i+2), "00000001", "added"))
		m.push()
	}
	local := &countingStore{Store: filestore.New(filestore.Options{})}
	here := newSite(t, s, "here", func(o *replica.Options) { o.Local = local })
	here.write(base, message("0000ffff", "00000001", "mine"))
	here.pull()
	if n := len(entries(here.read())); n != machines+3 {
		t.Errorf("the file has %d lines; want %d", n, machines+3)
	}
	if path, err := here.open().View().PathIDs(""); err != nil || len(path) < 2 || path[1] != "0000ffff" {
		t.Errorf("the session stands at the end of %v, %v; want it below 0000ffff", path, err)
	}
	// Each copy is compared with the beginning of the file, until they differ;
	// beyond that the file is read to merge and to find the leaf.
	if most := int64((machines + 6) * len(base)); local.read.Load() > most {
		t.Errorf("%d bytes of a file of %d were read for %d copies; want at most %d", local.read.Load(), len(base), machines, most)
	}
}

// A user who continued on another machine continues there.
func TestPositionMovesOn(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	b.pull()
	b.add(message("00000002", "00000001", "two"))
	b.push()
	a.pull()
	if leaf, _ := a.session(); leaf != "00000002" {
		t.Errorf("a stands at %q; want 00000002", leaf)
	}
	if a.read() != b.read() {
		t.Errorf("a has\n%sb has\n%s", a.read(), b.read())
	}
}

// The same id with other bytes: the other branch becomes a session of its own.
func TestSameIDOtherBytes(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"), message("0000000c", "00000001", "at a"))
	b.write(header(sessionID), message("00000001", "", "one"), message("0000000c", "00000001", "at b"))
	b.push()
	before := a.read()
	done := a.pull()
	if a.read() != before {
		t.Error("the file was rewritten")
	}
	if len(done.Others) != 1 {
		t.Fatalf("Others = %v; want one file", done.Others)
	}
	other, err := pith.Open(t.Context(), done.Others[0], pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	want := replica.ForkID(replica.Copy{Machine: "b", Session: sessionID})
	if other.ID() != want || other.LeafID() != "0000000c" {
		t.Errorf("the other is session %s at %s; want %s at 0000000c", other.ID(), other.LeafID(), want)
	}
	// It grows with the replica, and is made once.
	b.add(message("0000000d", "0000000c", "more"))
	b.push()
	for range 2 {
		if done := a.pull(); len(done.Others) > 1 {
			t.Errorf("Others = %v; want the same file", done.Others)
		}
	}
	data, err := os.ReadFile(done.Others[0])
	if err != nil || !strings.HasSuffix(string(data), message("0000000d", "0000000c", "more")) || strings.Count(string(data), "0000000d") != 1 {
		t.Errorf("the other holds\n%s", data)
	}
	if files, _ := filepath.Glob(filepath.Join(a.dir, "*")); len(files) != 2 {
		t.Errorf("files are %v; want two", files)
	}
}

// T4: the clocks of machines affect neither what is moved nor the leaf. One
// clock is behind by decades, and so are its lines and its file.
func TestClockIsNoOrder(t *testing.T) {
	s := newTeam(t)
	old := time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC)
	a, b := newSite(t, s, "a"), newSite(t, s, "b", func(o *replica.Options) { o.Now = func() time.Time { return old } })
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	b.pull()
	for i := range 3 {
		answer := message(fmt.Sprintf("0000000b%d", i), "00000001", "from b")
		b.add(strings.ReplaceAll(answer, "2026-", "1971-"))
		if err := os.Chtimes(b.path, old, old); err != nil {
			t.Fatal(err)
		}
		if b.push().Bytes == 0 {
			t.Errorf("line %d of a file that says 1971 was not pushed", i)
		}
		a.add(message(fmt.Sprintf("0000000a%d", i), "00000001", "from a"))
		a.push()
		a.pull()
		b.pull()
	}
	if x, y := entries(a.read()), entries(b.read()); len(x) != 8 || !maps.Equal(x, y) {
		t.Errorf("a has\n%s\nb has\n%s", a.read(), b.read())
	}
	for range 2 { // recorded positions may still move
		a.push()
		b.push()
		a.pull()
		b.pull()
	}
	if n := a.push().Bytes + b.push().Bytes + a.pull().Bytes + b.pull().Bytes; n != 0 {
		t.Errorf("%d bytes are still moved", n)
	}
}

// T4: of two names the later one counts on both machines, whatever order they arrive in.
func TestLaterNameCounts(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b", func(o *replica.Options) {
		o.Now = func() time.Time { return time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC) }
	})
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	b.pull()
	a.add(nameLine("0000000a", "00000001", "2026-03-04T06:00:00.000Z", "earlier"))
	b.add(nameLine("0000000b", "00000001", "2026-03-04T07:00:00.000Z", "later"))
	for range 3 {
		a.push()
		b.push()
		a.pull()
		b.pull()
	}
	for _, m := range []*site{a, b} {
		if _, name := m.session(); name != "later" {
			t.Errorf("%s is called %q; want later", m.Machine, name)
		}
	}
	if n := a.push().Bytes + b.push().Bytes + a.pull().Bytes + b.pull().Bytes; n != 0 {
		t.Errorf("%d bytes are still moved", n)
	}
}

// T4: labels of two machines come together; of two for the same entry the later one
// counts on both, and so does its removal.
func TestLaterLabelCounts(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"), message("00000002", "00000001", "two"), message("00000003", "00000002", "three"))
	a.push()
	b.pull()
	a.add(labelLine("000000a1", "00000003", "2026-03-04T07:00:00.000Z", "00000001", "later"), labelLine("000000a2", "000000a1", "2026-03-04T06:00:00.000Z", "00000002", "at a"),
		labelLine("000000a3", "000000a2", "2026-03-04T06:00:00.000Z", "00000003", "unwanted"))
	b.add(labelLine("000000b1", "00000003", "2026-03-04T06:00:00.000Z", "00000001", "earlier"), labelLine("000000b3", "000000b1", "2026-03-04T08:00:00.000Z", "00000003", ""))
	for range 3 {
		a.push()
		b.push()
		a.pull()
		b.pull()
	}
	for _, m := range []*site{a, b} {
		v := m.open()
		for id, want := range map[string]string{"00000001": "later", "00000002": "at a", "00000003": ""} {
			if got := v.View().Label(id); got != want {
				t.Errorf("%s: the label of %s is %q; want %q\n%s", m.Machine, id, got, want, m.read())
			}
		}
	}
	if n := a.push().Bytes + b.push().Bytes + a.pull().Bytes + b.pull().Bytes; n != 0 {
		t.Errorf("%d bytes are still moved", n)
	}
}

// A label that another machine set in another part of the tree moves no leaf,
// not even for a program that takes the last entry of a file for the leaf.
func TestLabelMovesNobody(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"), message("00000002", "00000001", "two"))
	a.push()
	b.pull()
	a.add(message("00000003", "00000002", "three"))
	b.add(labelLine("000000b1", "00000001", "2026-03-04T06:00:00.000Z", "00000001", "begin"))
	b.push()
	a.pull()
	path, err := a.open().View().PathIDs(a.open().LeafID())
	if err != nil || !slices.Contains(path, "00000003") {
		t.Errorf("a stands at %v, %v; want at 00000003", path, err)
	}
	lines := strings.Split(strings.TrimSpace(a.read()), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, `"parentId":"00000003"`) {
		t.Errorf("the file ends with %s; want a position below 00000003", last)
	}
}

// A header that differs stays on each side; the entries become one.
func TestOtherHeader(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"))
	b.write(strings.Replace(header(sessionID), "/home/ana/project", "/Users/ana/project", 1), message("00000001", "", "one"), message("00000002", "00000001", "two"))
	b.push()
	a.pull()
	if !strings.HasPrefix(a.read(), header(sessionID)) || !strings.HasSuffix(a.read(), message("00000002", "00000001", "two")) {
		t.Errorf("a has\n%s", a.read())
	}
	// Another version of the format cannot be mixed.
	c := newSite(t, s, "c")
	c.write(strings.Replace(header(sessionID), `"version":3`, `"version":2`, 1), message("00000009", "", "old"))
	before := c.read()
	if done := c.pull(); c.read() != before || len(done.Others) == 0 {
		t.Errorf("c has\n%s, others %v", c.read(), done.Others)
	}
}

// Cycles and parents that are missing are carried over as they are, and end.
func TestCyclesAndOrphans(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"), message("0000000a", "00000001", "a"))
	b.write(header(sessionID), message("00000001", "", "one"),
		message("000000c1", "000000c2", "circle"), message("000000c2", "000000c1", "circle"), message("000000c3", "000000c3", "self"),
		message("000000d1", "nowhere", "orphan"), message("000000e2", "000000e1", "child first"), message("000000e1", "00000001", "parent"), "not json\n", "\n")
	b.push()
	a.pull()
	got := a.read()
	for l := range strings.Lines(b.read()) {
		if l != "\n" && strings.Count(got, l) != 1 {
			t.Errorf("%q is there %d times", l, strings.Count(got, l))
		}
	}
	if strings.Index(got, "parent\"") > strings.Index(got, "child first") {
		t.Error("a child stands before its parent")
	}
}
