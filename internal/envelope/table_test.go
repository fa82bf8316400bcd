package envelope_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
)

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}`

func entry(id, parent, rest string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"%s"}}`, id, p, rest)
}

func scan(t testing.TB, text string) *envelope.Table {
	t.Helper()
	var table envelope.Table
	if err := table.Extend(strings.NewReader(text), int64(len(text))); err != nil {
		t.Fatalf("Extend(%.100q): %v", text, err)
	}
	return &table
}

func ids(table *envelope.Table) string {
	var out []string
	for i := range table.Len() {
		out = append(out, table.ID(i))
	}
	return strings.Join(out, " ")
}

// described is all that a table knows of an entry.
func described(table *envelope.Table, i int) string {
	e := table.At(i)
	return fmt.Sprintf("%s under %s, follows %t, at %d, %d bytes, line %d, time %d, kind %d, role %d, flags %d",
		table.ID(i), table.Parent(i), table.Follows(i), e.Offset, e.Len, e.Line, e.Time, e.Kind, e.Role, e.Flags)
}

func codes(table *envelope.Table) string {
	var out []string
	for _, f := range table.Faults {
		out = append(out, fmt.Sprintf("%s@%d:%d", f.Kind.Code(), f.Line, f.Offset))
	}
	return strings.Join(out, " ")
}

func TestLines(t *testing.T) {
	a, b := entry("a", "", "x"), entry("b", "a", "y")
	h := int64(len(header) + 1)
	tests := map[string]struct {
		text   string
		ids    string
		faults string
		tail   envelope.Tail
	}{
		"plain":                                 {text: header + "\n" + a + "\n" + b + "\n", ids: "a b"},
		"torn tail (pitfall 1)":                 {text: header + "\n" + a + "\n" + b[:20], ids: "a", faults: fmt.Sprintf("torn@3:%d", h+int64(len(a))+1), tail: envelope.TailTorn},
		"no newline (pitfall 2)":                {text: header + "\n" + a, ids: "a", faults: fmt.Sprintf("no-newline@2:%d", h+int64(len(a))), tail: envelope.TailNoNewline},
		"torn then whole (pitfall 4)":           {text: header + "\n" + a[:30] + b + "\n" + entry("c", "b", "z") + "\n", ids: "b c", faults: fmt.Sprintf("fused@2:%d", h+30)},
		"two whole (pitfall 4)":                 {text: header + "\n" + a + b + "\n", ids: "a b", faults: fmt.Sprintf("fused@2:%d", h+int64(len(a)))},
		"three whole (pitfall 4)":               {text: header + "\n" + a + b + entry("c", "b", "z") + "\n", ids: "a b c", faults: fmt.Sprintf("fused@2:%d", h+int64(len(a)))},
		"torn behind a block":                   {text: header + "\n" + a + "\n" + `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"text","text":"y"}`, ids: "a", faults: fmt.Sprintf("torn@3:%d", h+int64(len(a))+1), tail: envelope.TailTorn},
		"whole then torn (pitfall 4)":           {text: header + "\n" + a + b[:30] + "\n" + b + "\n", ids: "a b", faults: fmt.Sprintf("fused@2:%d", h+int64(len(a)))},
		"malformed (pitfall 5)":                 {text: header + "\n" + a + "\nnot json\n" + b + "\n", ids: "a b", faults: fmt.Sprintf("malformed@3:%d", h+int64(len(a))+2)},
		"NUL bytes (pitfall 6)":                 {text: header + "\n\x00\x00" + a + "\x00\n" + b + "\n", ids: "a b", faults: fmt.Sprintf("padded@2:%d", h)},
		"blank and CRLF (pitfall 6)":            {text: header + "\r\n\r\n  \t\n" + a + "\r\n" + b + "  \n\n", ids: "a b"},
		"BOM (pitfall 7)":                       {text: "\xef\xbb\xbf" + header + "\n" + a + "\n", ids: "a", faults: "bom@1:0"},
		"U+2028 (pitfall 8)":                    {text: header + "\n" + entry("a", "", "x\u2028y\u2029z") + "\n", ids: "a"},
		"broken before the header (pitfall 14)": {text: "{\"type\":\"ses\n" + header + "\n" + a + "\n", ids: "a", faults: "early-line@1:12"},
		"second header (pitfall 15)":            {text: header + "\n" + a + "\n" + header + "\n" + b + "\n", ids: "a b", faults: fmt.Sprintf("extra-header@3:%d", h+int64(len(a))+1)},
		"not an object (pitfall 16)":            {text: header + "\n42\n\"x\"\n[1]\nnull\n" + a + "\n", ids: "a", faults: fmt.Sprintf("not-object@2:%d not-object@3:%d not-object@4:%d not-object@5:%d", h, h+3, h+7, h+11)},
		"no type (pitfall 16)":                  {text: header + "\n{\"parentId\":\"x\"}\n" + a + "\n", ids: "a", faults: fmt.Sprintf("no-type@2:%d", h)},
		"an id and no type":                     {text: header + "\n" + `{"id":"x","timestamp":"2026-02-03T22:52:07.000Z"}` + "\n" + a + "\n", ids: "x a", faults: fmt.Sprintf("no-type@2:%d", h)},
		"an id and a number as type":            {text: header + "\n" + `{"type":7,"id":"x"}` + "\n" + a + "\n", ids: "x a", faults: fmt.Sprintf("no-type@2:%d bad-time@2:%d", h, h)},
		"no message (pitfall 16)":               {text: header + "\n" + `{"type":"message","id":"m","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z"}` + "\n" + a + "\n", ids: "m a", faults: fmt.Sprintf("no-message@2:%d", h)},
		"no id":                                 {text: header + "\n" + `{"type":"custom","timestamp":"2026-02-03T22:52:07.000Z"}` + "\n", ids: "", faults: fmt.Sprintf("no-id@2:%d", h)},
		"bad time (pitfall 22)":                 {text: header + "\n" + `{"type":"custom","id":"c","timestamp":"soon"}` + "\n", ids: "c", faults: fmt.Sprintf("bad-time@2:%d", h)},
		"title slot":                            {text: `{"type":"title","v":1,"title":"T","pad":"   "}` + "\n" + header + "\n" + a + "\n", ids: "a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			table := scan(t, tt.text)
			if got := ids(table); got != tt.ids {
				t.Errorf("ids = %q, want %q", got, tt.ids)
			}
			if got := codes(table); got != tt.faults {
				t.Errorf("faults = %q, want %q", got, tt.faults)
			}
			if table.Tail() != tt.tail {
				t.Errorf("tail = %d, want %d", table.Tail(), tt.tail)
			}
			if table.Header == nil || table.Header.ID != "s1" {
				t.Errorf("header = %+v, want that of s1", table.Header)
			}
		})
	}
}

// Thousands of records on one line cost one pass over each.
func TestManyFused(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(entry(fmt.Sprint("e", i), "", "x"))
	}
	b.WriteString("\n")
	if table := scan(t, b.String()); table.Len() != n {
		t.Errorf("%d entries, want %d", table.Len(), n)
	}
}

// Files that are not sessions are rejected (pitfalls 12, 13).
func TestNotASession(t *testing.T) {
	for name, text := range map[string]string{
		"an entry first": entry("a", "", "x") + "\n" + header + "\n",
		"other objects":  `{"level":"info","msg":"hello"}` + "\n",
	} {
		var table envelope.Table
		err := table.Extend(strings.NewReader(text), int64(len(text)))
		if !errors.Is(err, format.ErrNotSession) {
			t.Errorf("%s: Extend = %v, want ErrNotSession", name, err)
		}
	}
	if table := scan(t, "just a text\nof two lines\n"); table.Header != nil {
		t.Errorf("plain text has header %+v, want none", table.Header)
	}
}

// Cutting a file at any byte loses only what was cut (pitfall 1).
func TestEveryCut(t *testing.T) {
	text := header + "\n" + entry("a", "", "x\\n") + "\n" + entry("b", "a", "日本") + "\n" + entry("c", "b", "z") + "\n"
	whole := scan(t, text)
	for n := len(header); n <= len(text); n++ {
		table := scan(t, text[:n])
		for i := range table.Len() {
			if got, want := described(table, i), described(whole, i); got != want {
				t.Fatalf("cut at %d: entry %d = %s, want %s", n, i, got, want)
			}
		}
		if want := strings.Count(text[:n], "}}\n"); table.Len() < want {
			t.Fatalf("cut at %d: %d entries, want at least %d", n, table.Len(), want)
		}
	}
}

// E3: a table that grows with the file equals one read in one pass, and blocks
// do not affect the result.
func TestExtendEqualsScan(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	text.WriteString(header + "\n")
	for i := range 3000 {
		switch rnd.IntN(12) {
		case 0:
			text.WriteString("garbage " + strings.Repeat("x", rnd.IntN(50)) + "\n")
		case 1:
			text.WriteString("\n")
		case 2:
			fmt.Fprintf(&text, `{"type":"label","id":"l%d","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","targetId":"e1","label":"L%d"}`+"\n", i, i)
		case 3:
			text.WriteString(entry(fmt.Sprintf("f%d", i), "", "a") + entry(fmt.Sprintf("g%d", i), "", "b") + "\n")
		default:
			text.WriteString(entry(fmt.Sprintf("e%d", i), fmt.Sprintf("e%d", i-1), strings.Repeat("word ", rnd.IntN(800))) + "\n")
		}
	}
	all := text.String()
	if len(all) < 3<<20 {
		t.Fatalf("the text is %d bytes, too short to span blocks", len(all))
	}
	whole := scan(t, all)
	var grown envelope.Table
	for n := 0; n < len(all); {
		n = min(len(all), n+1+rnd.IntN(200_000))
		err := grown.Extend(strings.NewReader(all[:n]), int64(n))
		if errors.Is(err, envelope.ErrRescan) {
			grown = envelope.Table{}
			err = grown.Extend(strings.NewReader(all[:n]), int64(n))
		}
		if err != nil {
			t.Fatalf("Extend to %d: %v", n, err)
		}
	}
	if whole.Len() != grown.Len() || !reflect.DeepEqual(whole.Labels, grown.Labels) {
		t.Fatalf("entries or labels differ: %d and %d, %d and %d", whole.Len(), grown.Len(), len(whole.Labels), len(grown.Labels))
	}
	for i := range whole.Len() {
		if got, want := described(&grown, i), described(whole, i); got != want {
			t.Fatalf("entry %d of the table that grew = %s, want %s", i, got, want)
		}
	}
	if !reflect.DeepEqual(whole.Faults, grown.Faults) {
		t.Errorf("faults differ:\n%v\n%v", whole.Faults, grown.Faults)
	}
	if whole.Lines() != grown.Lines() {
		t.Errorf("lines = %d and %d", whole.Lines(), grown.Lines())
	}
}

// A line far longer than a block, and lines around it (pitfalls 9, 10).
func TestLongLine(t *testing.T) {
	long := entry("long", "a", strings.Repeat("日本語", 2<<20))
	text := header + "\n" + entry("a", "", "x") + "\n" + long + "\n" + entry("b", "long", "y") + "\n"
	table := scan(t, text)
	if got, want := ids(table), "a long b"; got != want {
		t.Errorf("ids = %q, want %q", got, want)
	}
	if e := table.At(1); int(e.Len) != len(long) || text[e.Offset:e.Offset+int64(e.Len)] != long {
		t.Errorf("the long entry is at %d with %d bytes, want %d", e.Offset, e.Len, len(long))
	}
}

func FuzzTable(f *testing.F) {
	f.Add(header + "\n" + entry("a", "", "x") + "\n" + entry("b", "a", "y"))
	f.Add("\xef\xbb\xbf" + header + "\n\x00" + entry("a", "", "x") + entry("b", "a", "y") + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		var table envelope.Table
		if err := table.Extend(strings.NewReader(text), int64(len(text))); err != nil {
			return
		}
		last := int64(-1)
		for i := range table.Len() {
			e := table.At(i)
			if e.Offset <= last || e.Offset+int64(e.Len) > int64(len(text)) {
				t.Fatalf("entry %+v is out of order or out of the file", e)
			}
			last = e.Offset
			if strings.Contains(text[e.Offset:e.Offset+int64(e.Len)], "\n") {
				t.Fatalf("entry %+v spans lines", e)
			}
		}
		for _, f := range table.Faults {
			if f.Line < 1 || f.Line > table.Lines() || f.Offset > int64(len(text)) {
				t.Fatalf("fault %v is outside the file of %d lines", f, table.Lines())
			}
		}
	})
}

// A last line without an end is known as such however long it is, and reading
// on begins at its first byte (pitfalls 1, 2).
func TestLongTail(t *testing.T) {
	begin := header + "\n" + entry("a", "", "x") + "\n"
	long := entry("b", "a", strings.Repeat("y", 5<<20))
	for name, tt := range map[string]struct {
		text string
		tail envelope.Tail
	}{
		"torn":       {begin + long[:4<<20], envelope.TailTorn},
		"no newline": {begin + long, envelope.TailNoNewline},
		"clean":      {begin + long + "\n", envelope.TailClean},
	} {
		t.Run(name, func(t *testing.T) {
			table := scan(t, tt.text)
			if table.Tail() != tt.tail {
				t.Errorf("tail = %d, want %d", table.Tail(), tt.tail)
			}
			whole := begin + long + "\n" + entry("c", "b", "z") + "\n"
			if err := table.Extend(strings.NewReader(whole), int64(len(whole))); err != nil {
				t.Fatalf("Extend: %v", err)
			}
			if ids(table) != "a b c" || codes(table) != "" || table.Lines() != 4 || table.Tail() != envelope.TailClean {
				t.Errorf("when its writer has gone on: ids %q, faults %q, %d lines, tail %d; want a b c, none, 4, clean", ids(table), codes(table), table.Lines(), table.Tail())
			}
		})
	}
}

// The envelope of a line that is not held is the same as that of one that is.
func TestLineNotHeld(t *testing.T) {
	long := strings.Repeat("y", 3<<20)
	begin := header + "\n" + entry("a", "", "x") + "\n"
	for name, text := range map[string]string{
		"an entry":     begin + entry("b", "a", long) + "\n" + entry("c", "b", "z") + "\n",
		"no newline":   begin + entry("b", "a", long),
		"torn":         begin + entry("b", "a", long)[:2<<20],
		"no JSON":      begin + long + "\n" + entry("c", "a", "z") + "\n",
		"no object":    begin + `"` + long + `"` + "\n",
		"a long label": begin + `{"type":"label","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","x":"` + long + `","targetId":"a","label":"l"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			want := scan(t, text)
			defer envelope.SetLongestLine(envelope.SetLongestLine(1 << 20))
			got := scan(t, text)
			if ids(got) != ids(want) || codes(got) != codes(want) || got.Lines() != want.Lines() || got.Tail() != want.Tail() || !slices.Equal(got.Labels, want.Labels) {
				t.Errorf("ids %q, faults %q, %d lines, tail %d; want %q, %q, %d, %d", ids(got), codes(got), got.Lines(), got.Tail(), ids(want), codes(want), want.Lines(), want.Tail())
			}
			for i := range got.Len() {
				g, w := got.At(i), want.At(i)
				line := []byte(text[g.Offset : g.Offset+int64(g.Len)])
				if g.Offset != w.Offset || g.Len != w.Len || g.Role != w.Role || string(g.Message(line)) != string(w.Message(line)) {
					t.Errorf("entry %d = %+v; want %+v", i, g, w)
				}
			}
		})
	}
}

// A log without a header in the first 64 KiB is not a session, and is not read
// further.
func TestNoHeaderAtTheBeginning(t *testing.T) {
	late := strings.Repeat("x", 70<<10) + "\n" + header + "\n"
	for name, text := range map[string]string{
		"a late header": late,
		"NUL bytes":     strings.Repeat("\x00", 1<<20),
		"a long record": entry("a", "", strings.Repeat("y", 100<<10)) + "\n" + header + "\n",
	} {
		read := &furthest{ReaderAt: strings.NewReader(text)}
		var table envelope.Table
		if err := table.Extend(read, int64(len(text))); !errors.Is(err, format.ErrNotSession) || read.end > envelope.HeaderWithin {
			t.Errorf("%s: Extend = %v, and read up to byte %d; want ErrNotSession, and 64 KiB", name, err, read.end)
		}
	}
	large := strings.TrimSuffix(header, "}") + `,"note":"` + strings.Repeat("x", 1<<20) + `"}` + "\n" + entry("a", "", "x") + "\n"
	if table := scan(t, large); ids(table) != "a" {
		t.Errorf("behind a large header: %q", ids(table))
	}
}

// furthest notes up to where a log was read.
type furthest struct {
	io.ReaderAt
	end int64
}

func (f *furthest) ReadAt(p []byte, off int64) (int, error) {
	f.end = max(f.end, off+int64(len(p)))
	return f.ReaderAt.ReadAt(p, off)
}
