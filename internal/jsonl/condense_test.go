package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// condense gives a line to a Condenser in pieces of a size.
func condense(line string, piece int) (*jsonl.Condenser, string) {
	var c jsonl.Condenser
	for rest := []byte(line); len(rest) > 0; {
		n := min(piece, len(rest))
		c.Write(rest[:n])
		rest = rest[n:]
	}
	return &c, string(c.Bytes())
}

func TestCondense(t *testing.T) {
	long := strings.Repeat("é", 3<<20)
	many := strings.Repeat(`{"type":"text","text":"x"},`, 300_000)
	const end = `],"usage":{"input":5},"timestamp":7},"id":"b"}`
	tests := map[string]struct {
		in   string
		want map[string]string // members of the message that must be as they are
	}{
		"a long string": {
			`{"type":"message","message":{"role":"user","content":[{"type":"text","text":"` + long + `"}` + end,
			map[string]string{"role": `"user"`, "usage": `{"input":5}`, "timestamp": `7`},
		},
		"many blocks": {
			`{"type":"message","message":{"content":[` + strings.TrimSuffix(many, ",") + end,
			map[string]string{"usage": `{"input":5}`, "timestamp": `7`},
		},
		"a long number": {
			`{"message":{"n":` + strings.Repeat("1", 5<<20) + `,"content":[` + end,
			map[string]string{"usage": `{"input":5}`, "n": "0"},
		},
		"white space": {
			`{"message":{"content":[` + strings.Repeat(" ", 5<<20) + end,
			map[string]string{"usage": `{"input":5}`},
		},
		"deep": {
			`{"message":{"x":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + `,"content":[` + end,
			map[string]string{"usage": `{"input":5}`},
		},
		"escapes": {
			`{"message":{"x":"` + strings.Repeat(`\n\u00e9\ud83d\ude00`, 300_000) + `","content":[` + end,
			map[string]string{"usage": `{"input":5}`},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, got := condense(tt.in, 1<<18)
			if len(got) > 4<<20 || !jsonl.Valid([]byte(got)) {
				t.Fatalf("Condenser made %d bytes of %d, %.80q…; want valid JSON of at most 4 MB", len(got), len(tt.in), got)
			}
			if n := c.SizeOf(0, len(got)); n != int64(len(tt.in)) {
				t.Errorf("SizeOf all = %d; want %d", n, len(tt.in))
			}
			message, _ := jsonl.Lookup([]byte(got), "message")
			for member, want := range tt.want {
				if raw, _ := jsonl.Lookup(message, member); string(raw) != want {
					t.Errorf("member %s = %.80q; want %q", member, raw, want)
				}
			}
			if id, _ := jsonl.Lookup([]byte(got), "id"); strings.HasSuffix(tt.in, end) && string(id) != `"b"` {
				t.Errorf("id = %q", id)
			}
		})
	}
}

// With Marks, a cut string says how many bytes are missing, and no other string
// changes.
func TestCondenseMarks(t *testing.T) {
	c := jsonl.Condenser{Marks: true}
	long := strings.Repeat("word ", 1<<20)
	line := `{"short":"text","long":"` + long + `\n","end":"…"}`
	c.Write([]byte(line))
	got := jsonl.LookupString(c.Bytes(), "long")
	start, note, _ := strings.Cut(got, "…")
	if want := fmt.Sprintf(" (%d more bytes)", len(long)+len(`\n`)-len(start)); note != want || !strings.HasPrefix(long, start) || len(start) < 1000 {
		t.Errorf("the string ends with %q after %d bytes; want %q", note, len(start), want)
	}
	if short, end := jsonl.LookupString(c.Bytes(), "short"), jsonl.LookupString(c.Bytes(), "end"); short != "text" || end != "…" {
		t.Errorf("other strings are %q and %q", short, end)
	}
	if n := c.SizeOf(0, len(c.Bytes())); n != int64(len(line)) {
		t.Errorf("SizeOf the whole result = %d; want %d", n, len(line))
	}
}

func TestCondenseDamaged(t *testing.T) {
	const record = `{"type":"label","id":"b","timestamp":"t"}`
	long := strings.Repeat("x", 5<<20)
	nuls := strings.Repeat("\x00", 5<<20)
	tests := map[string]struct{ in, want string }{
		"NUL bytes":               {nuls, "\x00"},
		"NUL bytes before":        {nuls + record, "\x00" + record},
		"NUL bytes around":        {nuls + record + nuls, "\x00" + record + "\x00"},
		"two records":             {record + record, record + record},
		"text that is no JSON":    {long, "x"},
		"a record behind a torn":  {`{"type":"m","x":"` + long + record, `{"type":"m","x":"` + long[:512<<10] + `"` + record},
		"a record in a torn text": {`{"x":"a` + record, `{"x":"a` + record},
		"a word at the cut":       {`["` + strings.Repeat("word ", 104857) + `wordandmore` + long + `"]`, `["` + strings.Repeat("word ", 104857)[:524284] + `"]`},
		"brackets that differ":    {`{"x":[}` + long + record, `{"x":[}` + record},
	}
	for name, tt := range tests {
		for _, piece := range []int{1, 7, 1 << 18} {
			if piece == 1 && len(tt.in) > 1000 {
				continue
			}
			c, got := condense(tt.in, piece)
			if got != tt.want {
				t.Errorf("%s, in pieces of %d: %.60q…%.60q; want %.60q…%.60q", name, piece, got, got[max(0, len(got)-60):], tt.want, tt.want[max(0, len(tt.want)-60):])
			}
			if n := c.SizeOf(0, len(got)); n != int64(len(tt.in)) && name != "NUL bytes" {
				t.Errorf("%s: SizeOf all = %d; want %d", name, n, len(tt.in))
			}
		}
	}
}

// Short input is unchanged except for white space; valid input stays valid and
// invalid input stays invalid; the size of the pieces does not matter.
func FuzzCondense(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e+3,true,false,null,"x\n\u00e9\"",{},[]],"b":{"c":[]}}`, `[1,]`, `{"a":}`, `01`, `-`, `1.e3`, `"\x"`, `{"a" : 1 , "b":2}`,
		"\x00{\"a\":1}\x00", `{"a":"b{"c":1}`, `"a" "b"`, `nul`, ` [ ] `, `{"a":1}}`, "\"\x01\"",
	} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, line []byte, piece int) {
		if piece <= 0 || bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		_, got := condense(string(line), len(line)+1)
		if _, again := condense(string(line), piece); again != got {
			t.Fatalf("pieces of %d give %q, one piece %q", piece, again, got)
		}
		if jsonl.Valid(line) != jsonl.Valid([]byte(got)) {
			t.Fatalf("Valid(%q) = %t, condensed %q = %t", line, jsonl.Valid(line), got, jsonl.Valid([]byte(got)))
		}
		var want bytes.Buffer
		if jsonl.Valid(line) && json.Compact(&want, line) == nil && len(line) < 64 && want.String() != got {
			t.Fatalf("condensed %q = %q; want %q", line, got, &want)
		}
	})
}
