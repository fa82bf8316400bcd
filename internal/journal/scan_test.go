package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}`

func entry(id, parent, rest string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"%s"}}`, id, p, rest)
}

func scan(t testing.TB, text string) *journal.State {
	t.Helper()
	state, err := journal.Scan(t.Context(), strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatalf("Scan(%.100q): %v", text, err)
	}
	return state
}

func ids(table *journal.State) string {
	var out []string
	for i := range table.Len() {
		out = append(out, table.ID(i))
	}
	return strings.Join(out, " ")
}

// described is all that a table knows of an entry.
func described(table *journal.State, i int) string {
	e := table.At(i)
	return fmt.Sprintf("%s under %s, %d, at %d, %d bytes, line %d, time %d, kind %d, role %d, flags %d",
		e.ID, e.Parent, table.Above(i), e.Offset, e.Len, e.Line, e.Time, e.Kind, e.Role, e.Flags)
}

func labels(s *journal.State) string {
	var out []string
	for _, l := range s.Labels() {
		out = append(out, l.Target+"="+l.Text+"@"+l.Time)
	}
	return strings.Join(out, " ")
}

func codes(table *journal.State) string {
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
		tail   journal.Tail
	}{
		"plain":                                 {text: header + "\n" + a + "\n" + b + "\n", ids: "a b"},
		"torn tail (pitfall 1)":                 {text: header + "\n" + a + "\n" + b[:20], ids: "a", faults: fmt.Sprintf("torn@3:%d", h+int64(len(a))+1), tail: journal.TailTorn},
		"no newline (pitfall 2)":                {text: header + "\n" + a, ids: "a", faults: fmt.Sprintf("no-newline@2:%d", h+int64(len(a))), tail: journal.TailNoNewline},
		"torn then whole (pitfall 4)":           {text: header + "\n" + a[:30] + b + "\n" + entry("c", "b", "z") + "\n", ids: "b c", faults: fmt.Sprintf("fused@2:%d", h+30)},
		"two whole (pitfall 4)":                 {text: header + "\n" + a + b + "\n", ids: "a b", faults: fmt.Sprintf("fused@2:%d", h+int64(len(a)))},
		"three whole (pitfall 4)":               {text: header + "\n" + a + b + entry("c", "b", "z") + "\n", ids: "a b c", faults: fmt.Sprintf("fused@2:%d", h+int64(len(a)))},
		"torn behind a block":                   {text: header + "\n" + a + "\n" + `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"text","text":"y"}`, ids: "a", faults: fmt.Sprintf("torn@3:%d", h+int64(len(a))+1), tail: journal.TailTorn},
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
			if table.Tail != tt.tail {
				t.Errorf("tail = %d, want %d", table.Tail, tt.tail)
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
		_, err := journal.Scan(t.Context(), strings.NewReader(text), int64(len(text)))
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
	grown := &journal.State{}
	for n := 0; n < len(all); {
		n = min(len(all), n+1+rnd.IntN(200_000))
		next, err := grown.Extend(strings.NewReader(all[:n]), int64(n))
		if errors.Is(err, journal.ErrRescan) {
			next, err = (&journal.State{}).Extend(strings.NewReader(all[:n]), int64(n))
		}
		if err != nil {
			t.Fatalf("Extend to %d: %v", n, err)
		}
		grown = next
	}
	if whole.Len() != grown.Len() || !reflect.DeepEqual(labels(whole), labels(grown)) {
		t.Fatalf("entries or labels differ: %d and %d, %d and %d", whole.Len(), grown.Len(), len(whole.Labels()), len(grown.Labels()))
	}
	for i := range whole.Len() {
		if got, want := described(grown, i), described(whole, i); got != want {
			t.Fatalf("entry %d of the table that grew = %s, want %s", i, got, want)
		}
	}
	if !reflect.DeepEqual(whole.Faults, grown.Faults) {
		t.Errorf("faults differ:\n%v\n%v", whole.Faults, grown.Faults)
	}
	if whole.Lines != grown.Lines {
		t.Errorf("lines = %d and %d", whole.Lines, grown.Lines)
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
		table, err := journal.Scan(t.Context(), strings.NewReader(text), int64(len(text)))
		if err != nil {
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
			if f.Line < 1 || f.Line > table.Lines || f.Offset > int64(len(text)) {
				t.Fatalf("fault %v is outside the file of %d lines", f, table.Lines)
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
		tail journal.Tail
	}{
		"torn":       {begin + long[:4<<20], journal.TailTorn},
		"no newline": {begin + long, journal.TailNoNewline},
		"clean":      {begin + long + "\n", journal.TailClean},
	} {
		t.Run(name, func(t *testing.T) {
			table := scan(t, tt.text)
			if table.Tail != tt.tail {
				t.Errorf("tail = %d, want %d", table.Tail, tt.tail)
			}
			whole := begin + long + "\n" + entry("c", "b", "z") + "\n"
			table, err := table.Extend(strings.NewReader(whole), int64(len(whole)))
			if err != nil {
				t.Fatalf("Extend: %v", err)
			}
			if ids(table) != "a b c" || codes(table) != "" || table.Lines != 4 || table.Tail != journal.TailClean {
				t.Errorf("when its writer has gone on: ids %q, faults %q, %d lines, tail %d; want a b c, none, 4, clean", ids(table), codes(table), table.Lines, table.Tail)
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
		if _, err := journal.Scan(t.Context(), read, int64(len(text))); !errors.Is(err, format.ErrNotSession) || read.end > journal.HeaderWithin {
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

// A line over 256 MB is a fault with its place and size, and what is around it is
// read. The hole that makes it long is not read.
func TestTooLong(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	begin, end := header+"\n"+entry("a", "", "x")+"\n", "\n"+entry("b", "a", "y")+"\n"
	const hole = jsonl.MaxLine + 1
	for _, at := range []struct {
		text string
		off  int64
	}{{begin, 0}, {end, int64(len(begin)) + hole}} {
		if _, err := file.WriteAt([]byte(at.text), at.off); err != nil {
			t.Fatal(err)
		}
	}
	state, err := journal.Scan(t.Context(), file, int64(len(begin)+len(end))+hole)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := codes(state), fmt.Sprintf("too-long@3:%d", len(begin)); ids(state) != "a b" || got != want || state.Faults[0].Size != hole+1 || state.Above(1) != 0 {
		t.Errorf("entries %s, faults %s of %v; want a b, %s of %d", ids(state), got, state.Faults, want, hole+1)
	}
	torn, err := journal.Scan(t.Context(), file, int64(len(begin))+hole)
	if err != nil {
		t.Fatal(err)
	}
	if ids(torn) != "a" || torn.Tail != journal.TailTorn {
		t.Errorf("without its end: entries %s, tail %d", ids(torn), torn.Tail)
	}
}

// Setting a label again keeps its place, clearing gives it up (pitfall 139). A
// State keeps its labels.
func TestLabels(t *testing.T) {
	text := header + "\n"
	var states []*journal.State
	for i, l := range []string{"a=one", "d=last", "b=two", "a=uno", "b=", "c=three", "b=zwei"} {
		target, label, _ := strings.Cut(l, "=")
		text += fmt.Sprintf(`{"type":"label","id":"%d","parentId":null,"timestamp":"t%d","targetId":%q,"label":%q}`+"\n", i, i, target, label)
		state := &journal.State{}
		if i > 0 {
			state = states[i-1]
		}
		next, err := state.Extend(strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, next)
	}
	for i, want := range []string{
		"a=one@t0", "a=one@t0 d=last@t1", "a=one@t0 d=last@t1 b=two@t2", "a=uno@t3 d=last@t1 b=two@t2", "a=uno@t3 d=last@t1",
		"a=uno@t3 d=last@t1 c=three@t5", "a=uno@t3 d=last@t1 c=three@t5 b=zwei@t6",
	} {
		if got := labels(states[i]); got != want {
			t.Errorf("labels after %d = %s, want %s", i, got, want)
		}
	}
}
