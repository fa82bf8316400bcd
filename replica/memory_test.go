package replica_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pith-sessions/pith/replica"
)

// The memory of a machine is the same after saving and loading, however often,
// by several processes, and with a torn end; and adding to the memory of many
// sessions does not rewrite all of it.
func TestMemoryFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.json")
	session := filepath.Join(dir, "session.jsonl")
	if err := os.WriteFile(session, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(session)
	if err != nil {
		t.Fatal(err)
	}
	push := func(m *replica.Memory, n int) {
		m.RecordPush(fmt.Sprint("/file ", n), "", info, replica.Replica{Person: "ana", Machine: "m", Session: fmt.Sprint("s", n), Generation: 1, Size: int64(n)})
	}
	save := func(m *replica.Memory) int64 {
		t.Helper()
		if err := m.Save(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	m := replica.LoadMemory(path)
	for n := range 1000 {
		push(m, n)
	}
	whole := save(m)
	for n := range 300 { // each a process of its own
		m = replica.LoadMemory(path)
		push(m, n%7+2000)
		if size := save(m); size > whole+200*1000 {
			t.Fatalf("after %d changes the file has %d bytes; it had %d", n, size, whole)
		}
	}
	a, b := replica.LoadMemory(path), replica.LoadMemory(path)
	push(a, 3000)
	push(b, 3001)
	before := save(a)
	if grown := save(b) - before; grown > 1000 {
		t.Errorf("one record made the file %d bytes longer", grown)
	}
	m = replica.LoadMemory(path)
	if had := m.Had(); len(m.Pushes) != 1009 || !had["s3000"] || !had["s3001"] || !had["s0"] {
		t.Errorf("the memory has %d files; want 1009, with those of both processes", len(m.Pushes))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(data) - 100; cut < len(data); cut++ { // somewhere in the last line
		if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		torn := replica.LoadMemory(path)
		if len(torn.Pushes) < 1008 {
			t.Fatalf("with %d of %d bytes the memory has %d files", cut, len(data), len(torn.Pushes))
		}
		push(torn, 4000)
		save(torn)
		if again := replica.LoadMemory(path); !reflect.DeepEqual(again.Pushes, torn.Pushes) {
			t.Fatalf("with %d of %d bytes the memory is not what was saved", cut, len(data))
		}
	}
}
