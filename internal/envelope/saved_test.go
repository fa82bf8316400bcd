package envelope_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/envelope"
)

const savedText = header + "\n" + `{"type":"label","id":"l","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","targetId":"a","label":"L"}` + "\n" +
	`{"type":"session_info","id":"n","parentId":"l","timestamp":"2026-02-03T22:52:07.000Z","name":"N"}` + "\nnot json\n"

// saved is a table as it is kept, at an address that a reader takes.
func saved(t testing.TB, table *envelope.Table) []byte {
	t.Helper()
	var b bytes.Buffer
	w := envelope.NewFlatWriter(&b)
	table.Save(w)
	if w.Err() != nil {
		t.Fatalf("Save: %v", w.Err())
	}
	return aligned(b.Bytes())
}

// aligned returns a copy that begins at a multiple of 8, as all but tiny pieces of
// memory do.
func aligned(p []byte) []byte { return append(make([]byte, 0, len(p)+64), p...) }

func TestRecall(t *testing.T) {
	text := savedText + entry("a", "n", "x") + "\n" + entry("b", "gone", "y") + "\n"
	want := scan(t, text)
	got, err := envelope.Recall(envelope.NewFlatReader(saved(t, want)), strings.NewReader(text), int64(len(text)), nil)
	if err != nil {
		t.Fatalf("Recall: %v", err)
	}
	more := text + entry("c", "b", "z") + "\n" + entry("d", "c", "z")[:20]
	for _, table := range []*envelope.Table{want, got} {
		if err := table.Extend(strings.NewReader(more), int64(len(more))); err != nil {
			t.Fatalf("Extend: %v", err)
		}
	}
	describe := func(table *envelope.Table) (out []string) {
		for i := range table.Len() {
			out = append(out, described(table, i))
		}
		return append(out, fmt.Sprint(table.Header.ID, table.Labels, table.Names, table.Faults, table.Lines(), table.Size(), table.Tail()))
	}
	if g, w := describe(got), describe(want); !reflect.DeepEqual(g, w) {
		t.Errorf("the table that was kept has\n%q\nthe one that was read\n%q", g, w)
	}
}

// A table of another log is refused.
func TestRecallOfAnotherLog(t *testing.T) {
	text := savedText + entry("a", "n", "x") + "\n"
	data := saved(t, scan(t, text))
	for name, other := range map[string]string{
		"shorter":     text[:len(text)-1],
		"another end": text[:len(text)-20] + strings.Repeat("#", 40),
	} {
		if _, err := envelope.Recall(envelope.NewFlatReader(data), strings.NewReader(other), int64(len(other)), nil); err == nil {
			t.Errorf("%s: Recall = nil, want an error", name)
		}
	}
	short := data[:len(data)-8]
	if _, err := envelope.Recall(envelope.NewFlatReader(short), strings.NewReader(text), int64(len(text)), nil); !errors.Is(err, envelope.ErrFlat) {
		t.Errorf("Recall of data that was cut = %v, want ErrDamaged", err)
	}
}

// Recalling any data does not panic.
func FuzzRecall(f *testing.F) {
	text := savedText + entry("a", "n", "x") + "\n"
	data := saved(f, scan(f, text))
	f.Add(data)
	for at := 0; at < len(data); at += 97 {
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x81
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = envelope.Recall(envelope.NewFlatReader(aligned(data)), strings.NewReader(text), int64(len(text)), nil)
	})
}
