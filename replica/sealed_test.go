package replica_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/memstore"
)

// A memory is a store in memory that its operator can change.
type memory struct{ *memstore.Store }

func newMemory() *memory { return &memory{memstore.New()} }

func (m *memory) Person() string { return "ana" }

// set is what an operator does: it puts other bytes in the place of a log's.
func (m *memory) set(tb testing.TB, name string, data []byte) {
	tb.Helper()
	if err := m.Remove(tb.Context(), name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		tb.Fatal(err)
	}
	l, err := m.Create(tb.Context(), name, store.Bytes(data))
	if err != nil {
		tb.Fatal(err)
	}
	l.Close()
}

// logOf is the name of the newest log of a machine's copy.
func (m *memory) logOf(tb testing.TB, machine, session string) string {
	tb.Helper()
	newest := ""
	for info, err := range m.List(tb.Context(), "/ana/"+machine+"/"+session) {
		if err != nil {
			tb.Fatal(err)
		}
		newest = max(newest, info.Name)
	}
	if newest == "" {
		tb.Fatalf("%s has no log of %s", machine, session)
	}
	return newest
}

// A part is one encrypted part of a log, as its operator sees it.
type part struct {
	head map[string]int64
	data []byte
}

func parts(tb testing.TB, data []byte) (all []part) {
	tb.Helper()
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		var p part
		if err := json.Unmarshal(line, &p.head); err != nil {
			tb.Fatal(err)
		}
		p.data, data = rest[:p.head["size"]], rest[p.head["size"]:]
		all = append(all, p)
	}
	return all
}

// join writes parts as a log in which all that can be read without a key is right.
func join(tb testing.TB, all []part) (out []byte) {
	tb.Helper()
	at := int64(0)
	for _, p := range all {
		head, err := json.Marshal(map[string]int64{"at": at, "plain": p.head["plain"], "size": int64(len(p.data))})
		if err != nil {
			tb.Fatal(err)
		}
		out = slices.Concat(out, head, []byte{'\n'}, p.data)
		at += p.head["plain"]
	}
	return out
}

// An operator of the database, who has no key, can drop, repeat, reorder,
// exchange, cut and change its content. Readers get an error, and nothing of it
// is merged.
func TestOperatorChangesSealedLogs(t *testing.T) {
	key := newKey(t)
	sealing := func(o *replica.Options) { o.Key, o.Local = key, filestore.New(filestore.Options{}) }
	const otherID = "0199a1b2-c3d4-7e5f-8a9b-ffffffffffff"
	rapid.Check(t, func(rt *rapid.T) {
		m := newMemory()
		count := rapid.IntRange(2, 5).Draw(rt, "parts")
		fill := func(machine, session string) {
			s := newSite(t, m, machine, sealing)
			s.write(header(session))
			s.push()
			for i := range count - 1 { // lines of equal length: nothing in sizes shows a change
				s.add(message(fmt.Sprintf("%08x", i+1), "", fmt.Sprint("said on ", machine, " ", i)))
				s.push()
			}
		}
		fill("a", sessionID)
		fill("b", sessionID)
		fill("c", otherID)
		name := m.logOf(t, "a", sessionID)
		genuine := logBytes(t, m, name)
		mine := parts(t, genuine)
		foreign := parts(t, logBytes(t, m, m.logOf(t, rapid.SampledFrom([]string{"b", "c"}).Draw(rt, "from"), "")))
		journal := parts(t, logBytes(t, m, m.logOf(t, "a", "-journal")))
		i := rapid.IntRange(0, count-1).Draw(rt, "i")
		j := rapid.IntRange(0, count-1).Filter(func(j int) bool { return j != i }).Draw(rt, "j")
		changed := slices.Clone(mine)
		what := rapid.SampledFrom([]string{"drop", "cut", "repeat", "swap", "replace", "insert", "append", "journal", "all", "flip", "tear"}).Draw(rt, "what")
		switch what {
		case "drop":
			changed = slices.Delete(changed, i, i+1)
		case "cut":
			changed = changed[:max(i, 1)]
		case "repeat":
			changed = slices.Insert(changed, j, mine[i])
		case "swap":
			changed[i], changed[j] = changed[j], changed[i]
		case "replace":
			changed[i] = foreign[i]
		case "insert":
			changed = slices.Insert(changed, i, foreign[j])
		case "append":
			changed = append(changed, foreign[i])
		case "journal":
			changed[i] = journal[0]
		case "all":
			changed = foreign
		case "flip":
			data := bytes.Clone(mine[i].data)
			data[rapid.IntRange(0, len(data)-1).Draw(rt, "byte")] ^= 1
			changed[i].data = data
		}
		log := join(t, changed)
		if what == "tear" {
			log = log[:len(log)-rapid.IntRange(1, len(mine[count-1].data)).Draw(rt, "bytes")]
		}
		m.set(t, name, log)

		for _, have := range []string{"", header(sessionID), header(sessionID) + message("0000ffff", "", "mine")} {
			reader := newSite(t, m, "reader", sealing)
			if have != "" {
				reader.write(have)
			}
			copies := slices.DeleteFunc(reader.copies("ana"), func(r replica.Replica) bool { return r.Machine != "a" })
			done, err := reader.Pull(t.Context(), copies, reader.path, replica.PullOptions{})
			if !errors.Is(err, replica.ErrBroken) && !(what == "flip" && errors.Is(err, replica.ErrSealed)) {
				rt.Errorf("%s: Pull = %+v, %v; want ErrBroken", what, done, err)
			}
			if got, err := os.ReadFile(reader.path); string(got) != have {
				rt.Errorf("%s: the file holds %q, %v; want it as it was, %q", what, got, err, have)
			}
		}
		// The previous content is restored intact.
		m.set(t, name, genuine)
		reader := newSite(t, m, "reader", sealing)
		reader.pull()
		if n := len(entries(reader.read())); n < count {
			rt.Errorf("after the log was put back there are %d lines; want %d", n, count)
		}
	})
}

// sealFor encrypts as anybody can who knows a public key.
func sealFor(tb testing.TB, to age.Recipient, at int, plain, bound string) []byte {
	tb.Helper()
	var data bytes.Buffer
	w, err := age.Encrypt(&data, to)
	if err == nil {
		_, err = io.WriteString(w, bound+plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return append(fmt.Appendf(nil, "{\"at\":%d,\"plain\":%d,\"size\":%d}\n", at, len(plain), data.Len()), data.Bytes()...)
}

// keyPair returns a key and its public part.
func keyPair(tb testing.TB) (*replica.Key, age.Recipient) {
	tb.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		tb.Fatal(err)
	}
	key, err := replica.ReadKey(strings.NewReader(id.String()))
	if err != nil {
		tb.Fatal(err)
	}
	return key, id.Recipient()
}

// Anyone who knows a public key can encrypt, but not continue a log.
func TestForgedContinuation(t *testing.T) {
	key, public := keyPair(t)
	m := newMemory()
	a, reader := newSite(t, m, "a", func(o *replica.Options) { o.Key = key }), newSite(t, m, "reader", func(o *replica.Options) { o.Key = key })
	a.write(header(sessionID))
	a.push()
	name := m.logOf(t, "a", sessionID)
	data := logBytes(t, m, name)
	for _, prev := range []string{"", strings.Repeat("0", 64), fmt.Sprintf("%x", sha256.Sum256(data)), fmt.Sprintf("%x", sha256.Sum256([]byte(a.read())))} {
		bound := fmt.Sprintf(`{"log":%q,"at":%d,"prev":%q,"salt":"x"}`+"\n", name, len(a.read()), prev)
		m.set(t, name, append(bytes.Clone(data), sealFor(t, public, len(a.read()), message("0000000f", "", "forged"), bound)...))
		if done, err := reader.Pull(t.Context(), reader.copies("ana"), reader.path, replica.PullOptions{}); !errors.Is(err, replica.ErrBroken) {
			t.Errorf("prev %q: Pull = %+v, %v; want ErrBroken", prev, done, err)
		}
	}
}

// Copies that an earlier version encrypted can be read, with a warning, until
// their machine has pushed them again.
func TestUnboundCopies(t *testing.T) {
	key, public := keyPair(t)
	sealing := func(o *replica.Options) { o.Key = key }
	m := newMemory()
	a := newSite(t, m, "a", sealing)
	lines := []string{header(sessionID), message("00000001", "", "one"), message("00000002", "00000001", "two")}
	var old []byte
	at := 0
	for _, l := range lines {
		old = append(old, sealFor(t, public, at, l, "")...)
		at += len(l)
	}
	m.set(t, "/ana/a/"+sessionID+"/1.age", old)
	reader := newSite(t, m, "reader", sealing)
	if done := reader.pull(); len(done.Unverified) != 1 || !done.Unverified[0].Unbound || reader.read() != strings.Join(lines, "") {
		t.Errorf("Pull = %+v, and the file\n%s; want all lines, unverified", done, reader.read())
	}
	a.write(lines...)
	if done := a.push(); !done.Rewritten || done.Replica.Unbound || done.Replica.Generation != 2 {
		t.Errorf("Push = %+v; want a new generation", done)
	}
	next := newSite(t, m, "next", sealing)
	if done := next.pull(); len(done.Unverified) != 0 || next.read() != strings.Join(lines, "") {
		t.Errorf("Pull = %+v; want it verified", done)
	}
	// The operator brings the old bytes back as if they were newer.
	m.set(t, "/ana/a/"+sessionID+"/3.age", old)
	last := newSite(t, m, "last", sealing)
	if done, err := last.Pull(t.Context(), last.copies("ana"), last.path, replica.PullOptions{}); !errors.Is(err, replica.ErrBroken) {
		t.Errorf("Pull of an old copy that is shown as newer = %+v, %v; want ErrBroken", done, err)
	}
}

// A copy without a checkpoint may be cut: a warning says so.
func TestMissingJournal(t *testing.T) {
	m := newMemory()
	key := newKey(t)
	sealing := func(o *replica.Options) { o.Key = key }
	a, reader := newSite(t, m, "a", sealing), newSite(t, m, "reader", sealing)
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	if err := m.Remove(t.Context(), m.logOf(t, "a", "-journal")); err != nil {
		t.Fatal(err)
	}
	if done := reader.pull(); len(done.Unverified) != 1 || reader.read() != a.read() {
		t.Errorf("Pull = %+v; want an unverified copy", done)
	}
}

// A journal that was changed stops readers and the machine that it is of, which can
// begin a new one.
func TestOperatorChangesJournal(t *testing.T) {
	m := newMemory()
	key := newKey(t)
	sealing := func(o *replica.Options) { o.Key = key }
	a := newSite(t, m, "a", sealing)
	a.write(header(sessionID))
	for i := range 4 {
		a.add(message(fmt.Sprintf("%08x", i+1), "", "said"))
		a.push()
	}
	journal := m.logOf(t, "a", "-journal")
	all := parts(t, logBytes(t, m, journal))
	m.set(t, journal, join(t, slices.Delete(slices.Clone(all), 1, 2)))
	reader := newSite(t, m, "reader", sealing)
	if _, err := reader.Pull(t.Context(), reader.copies("ana"), reader.path, replica.PullOptions{}); !errors.Is(err, replica.ErrBroken) {
		t.Errorf("Pull = %v; want ErrBroken", err)
	}
	again := newSite(t, m, "a", sealing)
	again.write(a.read(), message("000000ff", "", "more"))
	if _, err := again.Push(t.Context(), again.path, replica.PushOptions{}); !errors.Is(err, replica.ErrBroken) {
		t.Errorf("Push = %v; want ErrBroken", err)
	}
	if _, err := again.Push(t.Context(), again.path, replica.PushOptions{Replace: true}); err != nil {
		t.Errorf("Push with Replace = %v", err)
	}
	reader = newSite(t, m, "reader", sealing)
	if done := reader.pull(); len(done.Unverified) != 0 || reader.read() != again.read() {
		t.Errorf("Pull = %+v; want all of it", done)
	}
}

// A journal does not grow with each push forever, even with concurrent readers.
func TestJournalStaysSmall(t *testing.T) {
	for name, s := range map[string]personalStore{"memory": newMemory(), "PostgreSQL": newTeam(t)} {
		t.Run(name, func(t *testing.T) { journalStaysSmall(t, s) })
	}
}

func journalStaysSmall(t *testing.T, m personalStore) {
	key := newKey(t)
	sealing := func(o *replica.Options) { o.Key, o.Local = key, filestore.New(filestore.Options{}) }
	a, other := newSite(t, m, "a", sealing), newSite(t, m, "a", sealing)
	a.write(header(sessionID))
	const otherID = "0199a1b2-c3d4-7e5f-8a9b-ffffffffffff"
	other.write(header(otherID))
	for i := range 90 {
		a.add(message(fmt.Sprintf("%08x", i+1), "", "said"))
		a.push()
		if i%10 == 0 { // another process of the machine
			other.add(message(fmt.Sprintf("%08x", i+1), "", "said"))
			other.push()
		}
	}
	if n := len(parts(t, logBytes(t, m, "/"+m.Person()+"/a/-journal.age2"))); n > 80 {
		t.Errorf("the journal has %d parts after 99 pushes of two sessions", n)
	}
	reader := newSite(t, m, "reader", sealing)
	if done := reader.pull(); len(done.Unverified) != 0 || reader.read() != a.read() {
		t.Errorf("Pull = %+v; want it verified", done)
	}
	for _, r := range []replica.Replica{{Session: sessionID}, {Session: otherID}} {
		r.Person, r.Machine, r.Generation, r.Sealed = m.Person(), "a", 1, true
		if f, err := reader.Facts(t.Context(), r); err != nil || f.Length == 0 {
			t.Errorf("Facts(%s) = %+v, %v; want a checkpoint", r.Session, f, err)
		}
	}
}
