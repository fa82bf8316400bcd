package pith_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/tests/corpus"
)

// account is all that a session says about itself.
func account(t testing.TB, s *pith.Session) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s %q leaf %q, %d entries\n", s.Header().Raw, s.ID(), s.Name(), s.LeafID(), s.View().Len())
	for _, f := range s.Findings() {
		fmt.Fprintf(&b, "finding %+v\n", f)
	}
	for l, err := range s.View().Reader().Lines() {
		if err != nil {
			t.Fatalf("Lines: %v", err)
		}
		kids, err := s.View().Children(l.ID)
		fmt.Fprintln(&b, l.Pos, l.ID, l.Type, l.Role, string(l.Raw), s.View().Label(l.ID), kids, err)
	}
	path, err := s.View().PathIDs(s.LeafID())
	fmt.Fprintln(&b, "path", path, err)
	todo := s.View().Tree()
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], n.Children...)
		fmt.Fprintln(&b, "node", n.Pos, n.ID, n.Type, n.Role, n.Label, n.LabelTime, n.OnPath, n.Depth, len(n.Children))
	}
	for _, id := range append([]string{""}, s.LeafID()) {
		c, err := s.View().Context(id)
		if err != nil {
			t.Fatalf("ContextAt(%q): %v", id, err)
		}
		fmt.Fprintln(&b, "context", c.ThinkingLevel, c.Model, c.Notes)
		for m, err := range c.Messages() {
			fmt.Fprintln(&b, m.EntryID, string(m.Raw), err)
		}
	}
	return b.String()
}

// sameAccount compares a session that is opened with what was saved to one that is
// read.
func sameAccount(t *testing.T, what, path string, kept string) {
	t.Helper()
	want := account(t, open(t, path, pith.Options{ReadOnly: true}))
	if got := account(t, open(t, path, pith.Options{ReadOnly: true, OffsetCache: kept})); got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range g {
			if i >= len(w) || g[i] != w[i] {
				t.Fatalf("%s: with a saved table line %d is\n%.300s\nwithout it\n%.300s", what, i, g[i], w[min(i, len(w)-1)])
			}
		}
		t.Fatalf("%s: with a saved table %d lines, without it %d", what, len(g), len(w))
	}
}

func save(t *testing.T, path string, kept string) {
	t.Helper()
	if err := pith.SaveTable(open(t, path, pith.Options{ReadOnly: true, OffsetCache: kept})); err != nil {
		t.Fatalf("SaveTable: %v", err)
	}
}

// tailOf returns text that may follow a session.
func tailOf(rnd *rand.Rand, n int) string {
	id := func() string { return fmt.Sprintf("new%d", rnd.IntN(n+2)) }
	whole := line(id(), id(), "user", strings.Repeat("word ", rnd.IntN(20)))
	switch rnd.IntN(9) {
	case 0:
		return whole[:rnd.IntN(len(whole))]
	case 1:
		return "garbage\n"
	case 2:
		return whole + whole + "\n"
	case 3:
		return fmt.Sprintf(`{"type":"label","id":%q,"parentId":%q,"timestamp":"2026-02-03T22:52:07.000Z","targetId":%q,"label":"L%d"}`, id(), id(), id(), n) + "\n"
	case 4:
		return fmt.Sprintf(`{"type":"session_info","id":%q,"parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","name":"N%d"}`, id(), n) + "\n"
	case 5:
		return fmt.Sprintf(`{"type":"compaction","id":%q,"parentId":%q,"timestamp":"2026-02-03T22:52:07.000Z","summary":"S","firstKeptEntryId":%q,"tokensBefore":1}`, id(), id(), id()) + "\n"
	case 6:
		return `{"type":"custom","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z"}` + "\n" // without an id
	}
	return whole + "\n"
}

// A session says the same whether its table was saved or its file is read, whatever
// is in the file and whatever was appended since.
func TestSavedTable(t *testing.T) {
	files := map[string][]byte{
		"plain":       corpus.Bytes(corpus.Options{Seed: 1, Entries: 60}),
		"compactions": corpus.Bytes(corpus.Options{Seed: 2, Entries: 120, CompactEvery: 40, Branches: 5, Labels: 4}),
	}
	for _, f := range corpus.Odd() {
		if f.Opening == corpus.Opens && len(f.Bytes) < 256<<10 {
			files[f.Name] = f.Bytes
		}
	}
	for seed := range uint64(6) {
		data, rnd := bytes.Clone(files["compactions"]), rand.New(rand.NewPCG(seed, 2))
		for range 5 {
			data[200+rnd.IntN(len(data)-200)] = "\n\x00\"{},ax"[rnd.IntN(8)]
		}
		files[fmt.Sprint("damaged ", seed)] = data
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if s, err := pith.Open(t.Context(), path, pith.Options{}); err != nil {
				t.Skip("not a session: ", err)
			} else {
				s.Close()
			}
			kept := t.TempDir()
			save(t, path, kept)
			counted := &countingStore{Store: fileStore()}
			s := open(t, path, pith.Options{ReadOnly: true, OffsetCache: kept, Store: counted})
			if n := counted.bytes.Load(); n > int64(len(s.Header().Raw))+128+int64(len(slotOf(data))) && !s.NeedsMigration() {
				t.Errorf("opening with a saved table read %d of %d bytes, want the header, the title slot and the end", n, len(data))
			}
			sameAccount(t, "as it was", path, kept)
			rnd := rand.New(rand.NewPCG(1, uint64(len(data))))
			for n := range 5 {
				appendTo(t, path, tailOf(rnd, n))
				sameAccount(t, fmt.Sprintf("after %d appends", n+1), path, kept)
				if rnd.IntN(4) == 0 {
					save(t, path, kept)
				}
			}
		})
	}
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// A session that was opened with a saved table is written to like any other.
func TestSavedTableGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 4, Entries: 200}); err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	save(t, path, kept)
	s := open(t, path, pith.Options{OffsetCache: kept})
	before, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	first := say(t, s, "hello")
	for n := range 1500 { // more than there is room for
		say(t, s, fmt.Sprint("more ", n))
		if n%500 == 0 {
			if err := s.Branch(first); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.SetLabel(t.Context(), first, "here"); err != nil {
		t.Fatal(err)
	}
	if all, err := allOf(before); err != nil || len(all) == 0 || len(all) > 200 {
		t.Errorf("the context from before has %d messages, %v; want those of before", len(all), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sameAccount(t, "after 1500 appends", path, kept)
}

// A session that is not the one that the table was made of is read.
func TestSavedTableOfAnotherSession(t *testing.T) {
	was := corpus.Bytes(corpus.Options{Seed: 5, Entries: 200})
	other := corpus.Bytes(corpus.Options{Seed: 6, Entries: 400})
	same := bytes.Replace(was, []byte(`"role":"user"`), []byte(`"role":"resu"`), 1)
	for name, now := range map[string][]byte{
		"cut":            was[:len(was)/2],
		"cut at a line":  was[:bytes.LastIndexByte(was[:len(was)-1], '\n')+1],
		"another":        other,
		"shorter":        other[:bytes.LastIndexByte(other[:len(was)/2], '\n')+1],
		"same length":    same,
		"same beginning": append(bytes.Clone(was[:len(was)/2]), other[bytes.IndexByte(other, '\n')+1:]...),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			kept := t.TempDir()
			if err := os.WriteFile(path, was, 0o600); err != nil {
				t.Fatal(err)
			}
			save(t, path, kept)
			if err := os.WriteFile(path, now, 0o600); err != nil {
				t.Fatal(err)
			}
			sameAccount(t, name, path, kept)
			replaced := path + ".new"
			if err := os.WriteFile(replaced, now, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(replaced, path); err != nil {
				t.Fatal(err)
			}
			sameAccount(t, name+", in another file", path, kept)
		})
	}
}

// A damaged table is as good as none.
func TestDamagedTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 7, Entries: 100, CompactEvery: 30, Branches: 5}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	kept := dir
	save(t, path, kept)
	files, err := filepath.Glob(filepath.Join(dir, "*.table"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the folder has %v, %v; want one table", files, err)
	}
	file := files[0]
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 45 {
		data := bytes.Clone(whole)
		switch n % 3 {
		case 0:
			data = data[:rnd.IntN(len(data))]
		case 1:
			at := rnd.IntN(len(data))
			clear(data[at:min(len(data), at+4096)])
		default:
			for range 1 + rnd.IntN(8) {
				data[rnd.IntN(len(data))] ^= byte(1 << rnd.IntN(8))
			}
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 { // as if it was not written
			if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}
		sameAccount(t, fmt.Sprintf("damage %d", n), path, kept)
	}
}

// Known parts are not read again: opening an unchanged session reads its header
// and its end, an appended line costs that line, a context its messages.
func TestSavedTableReadsLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 8, Entries: 5000, CompactEvery: 500}); err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	if err := open(t, path, pith.Options{OffsetCache: kept}).Close(); err != nil { // large enough to be saved by Close
		t.Fatal(err)
	}
	counted := &countingStore{Store: fileStore()}
	s := open(t, path, pith.Options{OffsetCache: kept, Store: counted})
	if n := counted.bytes.Load(); n > 1024 {
		t.Errorf("opening read %d bytes, want at most 1024", n)
	}
	appendTo(t, path, line("new", s.LeafID(), "user", "hello")+"\n")
	counted.bytes.Store(0)
	s = open(t, path, pith.Options{OffsetCache: kept, Store: counted})
	if n := counted.bytes.Load(); n > 2048 || s.LeafID() != "new" {
		t.Errorf("opening with a new line read %d bytes and stands at %q, want at most 2048 and the new line", n, s.LeafID())
	}
	counted.bytes.Store(0)
	if _, err := s.Context(); err != nil {
		t.Fatal(err)
	}
	if n := counted.bytes.Load(); n > 128<<10 {
		t.Errorf("planning a context read %d bytes, want at most 128 KB", n)
	}
}

// The index of IDs is made when an ID is looked up, is kept from then on, and
// is not written again.
func TestSavedIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 8, Entries: 5000}); err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	table := func(use func(*pith.Session)) os.FileInfo {
		t.Helper()
		s := open(t, path, pith.Options{ReadOnly: true, OffsetCache: kept})
		use(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(kept, "*.table"))
		if err != nil || len(files) != 1 {
			t.Fatalf("kept are %v (%v), want one table", files, err)
		}
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	plain := table(func(*pith.Session) {})
	find := func(s *pith.Session) {
		v := s.View()
		if pos, err := v.Find(v.At(7).ID); pos != 7 || err != nil {
			t.Errorf("the entry at 7 was found at %d (%v)", pos, err)
		}
	}
	indexed := table(find)
	if indexed.Size() <= plain.Size() {
		t.Errorf("with an index the table has %d bytes, without one %d", indexed.Size(), plain.Size())
	}
	if again := table(find); !os.SameFile(again, indexed) {
		t.Error("the table was written again although nothing is new")
	}
}

// A table is saved while its session is read, and while the file grows.
func TestSavedBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 10, Entries: 5000}); err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	s := open(t, path, pith.Options{ReadOnly: true, OffsetCache: kept})
	appendTo(t, path, line("new", s.LeafID(), "user", "hello")+"\n")
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.View().Find("new"); err != nil {
		t.Errorf("Find(new) = %v while the table was saved", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	counted := &countingStore{Store: fileStore()}
	open(t, path, pith.Options{ReadOnly: true, OffsetCache: kept, Store: counted})
	if n := counted.bytes.Load(); n > 2048 {
		t.Errorf("opening again read %d bytes, want at most 2048", n)
	}
	sameAccount(t, "saved beside", path, kept)
}

// A countingStore counts the bytes that are read of its logs.
type countingStore struct {
	store.Store
	bytes atomic.Int64
}

func (c *countingStore) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := c.Store.Open(ctx, name)
	return &countingLog{log, c}, err
}

type countingLog struct {
	store.Log
	store *countingStore
}

func (l *countingLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	l.store.bytes.Add(int64(n))
	return n, err
}

// A cache that cannot be written does not make a session fail.
func TestUnwritableTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 9, Entries: 5000}); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, pith.Options{OffsetCache: filepath.Join(path, "tables")}) // below a file
	if err := pith.SaveTable(s); err == nil {
		t.Error("SaveTable = nil, want an error")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
}

// slotOf is the title slot that a file begins with.
func slotOf(data []byte) []byte {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if _, ok := format.DecodeTitleSlot(line); !ok {
		return nil
	}
	return line
}
