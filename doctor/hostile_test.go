package doctor_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Files that were made to be searched long are not (pitfalls 72, 73, 74, 75).
func TestHostileFiles(t *testing.T) {
	n := 4_000
	if testing.Short() {
		n = 300
	}
	id := func(i int) string { return fmt.Sprintf("e%07d", i) }
	compaction := func(i int, parent, kept string) string {
		return fmt.Sprintf(`{"type":"compaction","id":%q,"parentId":%q,"timestamp":"2026-02-03T10:00:01.000Z","summary":"s","firstKeptEntryId":%q}`, id(i), parent, kept)
	}
	label := func(i int) string {
		return fmt.Sprintf(`{"type":"label","id":%q,"parentId":%q,"timestamp":"2026-02-03T10:00:01.000Z","targetId":"gone","label":"x"}`, id(i), id(i-1))
	}
	at := func(line string, i int) string {
		return strings.Replace(line, "2026-02-03T10:00:01.000Z", time.UnixMilli(1_770_000_000_000+int64(i)*1000).UTC().Format("2006-01-02T15:04:05.000Z"), 1)
	}
	tests := map[string]func(i int) string{
		"time runs backwards": func(i int) string { return at(message(id(i), id(i-1)), -i) },
		"time at random":      func(i int) string { return at(message(id(i), id(i/2)), i*7919%n) },
		"open calls":          func(i int) string { return calling(id(i), id(i-1), id(i)) },
		"open calls of one":   func(i int) string { return calling(id(i), id(0), "c") },
		"answered and open":   func(i int) string { return calling(id(i), id(max(0, i-i%2-1)), "c", id(i)) },
		"odd ids": func(i int) string {
			return strings.ReplaceAll(message(id(i), id(i-1)), `"e0`, `"\ud83d`)
		},
		"all cut off":            func(i int) string { return message(id(i), "gone"+id(i)) },
		"one circle":             func(i int) string { return message(id(i), id((i+1)%n)) },
		"many circles":           func(i int) string { return message(id(i), id(i^1)) },
		"one id":                 func(i int) string { return message("same0000", "same0000") },
		"two ids in turn":        func(i int) string { return message(id(i%2), id((i+1)%2)) },
		"backwards":              func(i int) string { return message(id(n-i), id(n-i-1)) },
		"junk":                   func(i int) string { return "junk" },
		"no ids":                 func(i int) string { return `{"type":"message","message":{"role":"user","content":"x"}}` },
		"compactions of nothing": func(i int) string { return compaction(i, id(i-1), "gone") },
		"compactions beside":     func(i int) string { return compaction(i, id(max(0, i-2)), id(max(0, i-1))) },
		"labels of nothing":      label,
		"bookkeeping all the way": func(i int) string {
			return fmt.Sprintf(`{"type":"custom","customType":"x","id":%q,"parentId":%q,"timestamp":"2026-02-03T10:00:01.000Z"}`, id(i), id(i-1))
		},
		"one tool call id": func(i int) string {
			return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"toolResult","toolCallId":"c"}}`, id(i), id(i-1))
		},
	}
	for name, line := range tests {
		t.Run(name, func(t *testing.T) {
			lines := []string{message("root0000", "")}
			for i := range n {
				lines = append(lines, line(i))
			}
			watch := time.AfterFunc(2*time.Minute, func() { panic(name + ": still at it after two minutes") })
			defer watch.Stop()
			data := session(lines...)
			d := damaged{t: t, name: filepath.Join(t.TempDir(), "s.jsonl"), data: data, opt: quiet}
			d.opt.Store = memstore.New()
			d.test()
		})
	}
}

// For any bytes, a repair loses no entry, is idempotent, and leaves a session
// that opens without findings, or leaves the file alone.
func FuzzFix(f *testing.F) {
	kinds := corpus.DamageKinds()
	if len(kinds) == 0 {
		f.Fatal("no seeds: a fuzz target without a corpus tests nothing")
	}
	const most = 64 << 10
	for _, k := range kinds {
		if len(k.Bytes) < most {
			f.Add(k.Bytes)
		}
	}
	for _, k := range corpus.Odd() {
		if len(k.Bytes) < most {
			f.Add(k.Bytes)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		st := memstore.New()
		name, err := filepath.Abs("s.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Create(t.Context(), name, store.Bytes(data)); err != nil {
			t.Fatal(err)
		}
		o := quiet
		o.Store = st
		out, err := doctor.Fix(t.Context(), name, o)
		d := damaged{t: t, name: name, data: data, opt: o}
		if errors.Is(err, pith.ErrNotSession) || errors.Is(err, pith.ErrTooNew) {
			return
		}
		if err != nil {
			t.Fatalf("Fix(%q): %v", data, err)
		}
		fixed := d.read(name)
		if out.Backup != "" && !bytes.Equal(d.read(out.Backup), data) {
			t.Errorf("Fix(%q): the backup is not the former file", data)
		}
		if n := out.After.Fixable(); n > 0 {
			t.Errorf("Fix(%q): can still be fixed: %v", data, out.After.Findings)
		}
		if again, err := doctor.Fix(t.Context(), name, o); err != nil || again.Changed() {
			t.Errorf("Fix(%q) = %q; a second one changed something: %v", data, fixed, err)
		}
	})
}

// A response with extremely many calls is examined once, not once per call.
func TestManyCallsOfOneMessage(t *testing.T) {
	ids := make([]string, 20_000)
	for i := range ids {
		ids[i] = fmt.Sprint("call_", i)
	}
	st, name := memstore.New(), filepath.Join(t.TempDir(), "s.jsonl")
	if _, err := st.Create(t.Context(), name, store.Bytes(session(message("root0000", ""), calling("a0000000", "root0000", ids...)))); err != nil {
		t.Fatal(err)
	}
	o := quiet
	o.Store = st
	r, err := doctor.Check(t.Context(), name, o)
	if err != nil || len(has(r, doctor.DanglingCall)) != len(ids) {
		t.Errorf("Check = %v; want %d open calls", err, len(ids))
	}
}
