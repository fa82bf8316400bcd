package jsonl_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestScanVerdict(t *testing.T) {
	const ok = -1
	tests := []struct {
		in    string
		shape jsonl.Shape
		fault int
	}{
		{`{}`, jsonl.Object, ok},
		{` {"a":1} `, jsonl.Object, ok},
		{"\t\r\n{\"a\" : [ 1 , 2 ] , \"b\" : { } }\r\n", jsonl.Object, ok},
		{`[]`, jsonl.Other, ok},
		{`[1,[2,[3,{"a":[]}]]]`, jsonl.Other, ok},
		{`""`, jsonl.Other, ok},
		{`0`, jsonl.Other, ok},
		{`-0.0e-0`, jsonl.Other, ok},
		{`123456789012345678901234567890`, jsonl.Other, ok},
		{`1E+400`, jsonl.Other, ok},
		{`true`, jsonl.Other, ok},
		{`false`, jsonl.Other, ok},
		{`null`, jsonl.Other, ok},
		{`"\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00\ud83d"`, jsonl.Other, ok},
		{"\"\x7f\u2028\u2029\U0001F600\"", jsonl.Other, ok}, // pitfall 8
		{"\"\xff\xc0\xed\xa0\x80\xf5\"", jsonl.Other, ok},   // read as U+FFFD

		{``, jsonl.Invalid, 0},
		{`   `, jsonl.Invalid, 3},
		{"\ufeff{}", jsonl.Invalid, 0},
		{"\u00a0{}", jsonl.Invalid, 0},
		{"\v{}", jsonl.Invalid, 0},
		{"{}\x00", jsonl.Invalid, 2}, // pitfall 6
		{`{} {}`, jsonl.Invalid, 3},
		{`{}}`, jsonl.Invalid, 2},
		{`{`, jsonl.Invalid, 1},
		{`{"a"`, jsonl.Invalid, 4},
		{`{"a":`, jsonl.Invalid, 5},
		{`{"a":1`, jsonl.Invalid, 6},
		{`{"a":1,`, jsonl.Invalid, 7},
		{`{"a":1,}`, jsonl.Invalid, 7},
		{`{,"a":1}`, jsonl.Invalid, 1},
		{`{"a" 1}`, jsonl.Invalid, 5},
		{`{"a"::1}`, jsonl.Invalid, 5},
		{`{a:1}`, jsonl.Invalid, 1},
		{`{'a':1}`, jsonl.Invalid, 1},
		{`{1:1}`, jsonl.Invalid, 1},
		{`{"a":1 "b":2}`, jsonl.Invalid, 7},
		{`{"a":1]`, jsonl.Invalid, 6},
		{`{"a":[}`, jsonl.Invalid, 6},
		{`{"a":{]}`, jsonl.Invalid, 6},
		{`[1,]`, jsonl.Invalid, 3},
		{`[,1]`, jsonl.Invalid, 1},
		{`[1 2]`, jsonl.Invalid, 3},
		{`[1}`, jsonl.Invalid, 2},
		{`[`, jsonl.Invalid, 1},
		{`]`, jsonl.Invalid, 0},
		{`"`, jsonl.Invalid, 1},
		{`"abc`, jsonl.Invalid, 4},
		{`"abc\`, jsonl.Invalid, 5},
		{`"abc\"`, jsonl.Invalid, 6},
		{"\"a\nb\"", jsonl.Invalid, 2},
		{"\"a\x00b\"", jsonl.Invalid, 2},
		{"\"a\\\nb\"", jsonl.Invalid, 3},
		{`"\a"`, jsonl.Invalid, 2},
		{`"\'"`, jsonl.Invalid, 2},
		{`"\U0041"`, jsonl.Invalid, 2},
		{`"\u12"`, jsonl.Invalid, 5},
		{`"\u12g4"`, jsonl.Invalid, 5},
		{`"\u`, jsonl.Invalid, 3},
		{`\"a"`, jsonl.Invalid, 0},
		{`{"a":\"b"}`, jsonl.Invalid, 5},
		{`{"a":"b"\,"c":1}`, jsonl.Invalid, 8},
		{`01`, jsonl.Invalid, 1},
		{`-01`, jsonl.Invalid, 2},
		{`00000000000`, jsonl.Invalid, 1},
		{`-`, jsonl.Invalid, 1},
		{`+1`, jsonl.Invalid, 0},
		{`.5`, jsonl.Invalid, 0},
		{`1.`, jsonl.Invalid, 2},
		{`1.e3`, jsonl.Invalid, 2},
		{`1e`, jsonl.Invalid, 2},
		{`1e+`, jsonl.Invalid, 3},
		{`1e+x`, jsonl.Invalid, 3},
		{`0x10`, jsonl.Invalid, 1},
		{`1_000`, jsonl.Invalid, 1},
		{`Infinity`, jsonl.Invalid, 0},
		{`NaN`, jsonl.Invalid, 0},
		{`undefined`, jsonl.Invalid, 0},
		{`tru`, jsonl.Invalid, 3},
		{`trux`, jsonl.Invalid, 3},
		{`True`, jsonl.Invalid, 0},
		{`nullx`, jsonl.Invalid, 4},
		{`fals`, jsonl.Invalid, 4},
		{`// no`, jsonl.Invalid, 0},
		{`{"a":1 /* no */}`, jsonl.Invalid, 7},
	}
	for _, tt := range tests {
		// The same text at other offsets lies differently in the blocks of
		// 64 bytes that are read at a time.
		for _, pad := range []int{0, 1, 7, 50, 62, 63, 64, 65, 2040, 2047, 2048, 5000} {
			in := strings.Repeat(" ", pad) + tt.in
			want := tt.fault
			if want >= 0 {
				want += pad
			}
			shape, fault := jsonl.NewKeys().Scan([]byte(in), nil)
			if shape != tt.shape || fault != want {
				t.Errorf("Scan(%d spaces + %q) = %v, %d; want %v, %d", pad, tt.in, shape, fault, tt.shape, want)
			}
			if got := jsonl.Valid([]byte(in)); got != (tt.shape != jsonl.Invalid) {
				t.Errorf("Valid(%d spaces + %q) = %t", pad, tt.in, got)
			}
		}
		if shape, fault, _ := judge([]byte(tt.in)); shape != tt.shape || fault != tt.fault {
			t.Errorf("the reference says %v, %d of %q; want %v, %d", shape, fault, tt.in, tt.shape, tt.fault)
		}
	}
}

// A fault in a string is found wherever the string and the fault lie.
func TestScanFaultAtEveryOffset(t *testing.T) {
	for _, fault := range []string{"\x01", `\x`, `\u00zz`, "\\\n"} {
		for length := range 200 {
			for _, before := range []int{0, 1, 1900, 2047} {
				in := `{"` + strings.Repeat("k", before) + `":"` + strings.Repeat("é", length/2) + strings.Repeat("s", length%2) + fault + `","b":2}`
				wantShape, want, _ := judge([]byte(in))
				if shape, got := jsonl.NewKeys().Scan([]byte(in), nil); shape != wantShape || got != want {
					t.Fatalf("Scan(name of %d, string of %d, then %q) = %v, %d; want %v, %d", before, length, fault, shape, got, wantShape, want)
				}
			}
		}
	}
}

// Runs of backslashes of every length, ending at every offset of a block.
func TestScanBackslashRuns(t *testing.T) {
	for run := range 140 {
		for before := range 130 {
			in := []byte(`"` + strings.Repeat("x", before) + strings.Repeat(`\`, run) + `"`)
			wantShape, want, _ := judge(in)
			if shape, got := jsonl.NewKeys().Scan(in, nil); shape != wantShape || got != want {
				t.Fatalf("Scan(%d bytes, %d backslashes, quote) = %v, %d; want %v, %d", before, run, shape, got, wantShape, want)
			}
		}
	}
}

func TestScanSpans(t *testing.T) {
	keys := jsonl.NewKeys("type", "id", "message")
	tests := map[string]struct {
		in   string
		want [3]string
	}{
		"usual order":       {`{"type":"a","id":"b","message":{"type":"no"}}`, [3]string{`"a"`, `"b"`, `{"type":"no"}`}},
		"other order":       {`{"message":[1, 2],"x":0,"id":null,"type":"a"}`, [3]string{`"a"`, `null`, `[1, 2]`}},
		"absent":            {`{"kind":"a"}`, [3]string{}},
		"empty":             {`{}`, [3]string{}},
		"the last counts":   {`{"type":1,"id":2,"type":3,"type":4}`, [3]string{`4`, `2`, ``}},
		"white space":       {"{ \"type\" : \"a\" ,\n\"id\":\t1 }", [3]string{`"a"`, `1`, ``}},
		"escaped names":     {`{"\u0074ype":"a","i\u0064":1,"mess\u0061ge":true}`, [3]string{`"a"`, `1`, `true`}},
		"similar names":     {`{"typ":1,"types":2,"Type":3,"type ":4,"id":5}`, [3]string{``, `5`, ``}},
		"escaped quote":     {`{"type\"":1,"\"id":2}`, [3]string{}},
		"string with quote": {`{"type":"a\"b\\","id":"\\\"","message":""}`, [3]string{`"a\"b\\"`, `"\\\""`, `""`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			spans := []jsonl.Span{{1, 2}, {3, 4}, {5, 6}, {7, 8}}
			if shape, fault := keys.Scan([]byte(tt.in), spans); shape != jsonl.Object || fault != -1 {
				t.Fatalf("Scan(%s) = %v, %d; want Object, -1", tt.in, shape, fault)
			}
			for i, want := range tt.want {
				got := spans[i].Of([]byte(tt.in))
				if string(got) != want || spans[i].Present() != (want != "") {
					t.Errorf("Scan(%s): key %d = %s, present %t; want %s", tt.in, i, got, spans[i].Present(), want)
				}
			}
			if spans[3] != (jsonl.Span{Start: 7, End: 8}) {
				t.Errorf("Scan(%s) wrote a span that belongs to no key", tt.in)
			}
		})
	}
}

func TestScanNamesThatNeedEscapes(t *testing.T) {
	names := []string{`a"b`, `a\b`, "a\nb", "é", "\u2028", "\xed\xa0\x80", strings.Repeat("long", 20), ""}
	var obj []byte
	for i, name := range names {
		obj = append(jsonl.AppendString(append(obj, ','), name), ':', byte('0'+i))
	}
	obj = append(append([]byte{'{'}, obj[1:]...), '}')
	spans := make([]jsonl.Span, len(names))
	jsonl.NewKeys(names...).Scan(obj, spans)
	for i := range names {
		if got := string(spans[i].Of(obj)); got != string(byte('0'+i)) {
			t.Errorf("Scan(%s): value of %q = %q; want %d", obj, names[i], got, i)
		}
	}
	in := []byte(`{"a\b":1}`) // a backspace, not the name with a backslash
	if jsonl.NewKeys(`a\b`).Scan(in, spans[:1]); spans[0].Present() {
		t.Errorf("Scan(%s) found the name %q", in, `a\b`)
	}
}

func TestScanDeepNesting(t *testing.T) {
	const depth = 1_000_000
	deep := strings.Repeat(`{"a":[`, depth/2) + strings.Repeat(`]}`, depth/2)
	if shape, fault := jsonl.NewKeys("a").Scan([]byte(deep), make([]jsonl.Span, 1)); shape != jsonl.Object {
		t.Errorf("Scan(%d levels) = %v, %d; want Object, -1", depth, shape, fault)
	}
	for _, levels := range []int{1, 62, 63, 64, 65, 126, 127, 128, 129, 500} {
		in := strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels)
		if !jsonl.Valid([]byte(in)) {
			t.Errorf("Valid(%d arrays) = false; want true", levels)
		}
		for _, wrong := range []string{in[:levels] + "}" + in[levels+1:], in[:len(in)-1], in + "]", in[:len(in)-1] + "}"} {
			if jsonl.Valid([]byte(wrong)) {
				t.Errorf("Valid(%s) = true; want false", wrong)
			}
		}
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	keys := jsonl.NewKeys(entryKeys...)
	nested := keys.With(4, jsonl.NewKeys("role", "content"))
	spans := make([]jsonl.Span, nested.Len())
	for _, line := range seedLines(t) {
		for _, k := range []*jsonl.Keys{keys, nested} {
			if n := testing.AllocsPerRun(10, func() { k.Scan(line, spans) }); n != 0 {
				t.Errorf("Scan(%.80q) makes %v allocations; want 0", line, n)
			}
		}
	}
}

// Real lines, with one or a few bytes changed, removed, doubled or cut off.
func TestScanMutatedLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, line := range seedLines(t) {
		checkScan(t, line)
		for range 300 {
			checkScan(t, mutate(rnd, line))
		}
	}
}

// More strings than are indexed at a time, and a fault after them.
func TestScanManyStrings(t *testing.T) {
	for _, member := range []string{`"":""`, `"a":"b"`, `"a":1`, `"a":0.25`, `"a":true`, `"a":[""]`, `"a" : "b" `, `"a":{"b":"\u00e9"}`} {
		for _, last := range []string{`"z":null`, `"z":"`, `"z":"\x"`, `"z"`, `"z":-`, `"z":01`, `"z":tru`, ``} {
			for count := 20; count < 300; count += 7 {
				checkScan(t, []byte("{"+strings.Repeat(member+",", count)+last+"}"))
				checkScan(t, []byte(`{"type":{`+strings.Repeat(member+",", count)+last+"}}"))
			}
		}
	}
}

// checkScan compares Scan with the reference and with encoding/json.
func checkScan(t *testing.T, in []byte) {
	t.Helper()
	names := []string{"type", "id", "parentId", "timestamp", "message", "", "a", "content"}
	spans := make([]jsonl.Span, len(names))
	shape, fault := jsonl.NewKeys(names...).Scan(in, spans)
	wantShape, wantFault, members := judge(in)
	if shape != wantShape || fault != wantFault {
		t.Fatalf("Scan(%q) = %v, %d; want %v, %d", in, shape, fault, wantShape, wantFault)
	}
	if valid := json.Valid(bytes.ToValidUTF8(in, []byte("\ufffd"))); valid != (shape != jsonl.Invalid) {
		t.Fatalf("Scan(%q) = %v; json.Valid = %t", in, shape, valid)
	}
	for i, name := range names {
		var want jsonl.Span
		for _, m := range members {
			if m.name == name {
				want = jsonl.Span{Start: m.start, End: m.end}
			}
		}
		if spans[i] != want {
			t.Fatalf("Scan(%q): span of %q = %v; want %v", in, name, spans[i], want)
		}
	}
}

// mutate returns a copy of line with up to three small changes.
func mutate(rnd *rand.Rand, line []byte) []byte {
	out := bytes.Clone(line)
	alphabet := "{}[]\",:\\ \n\t\x00\x1f0123456789.eE+-utrfnxbé\xff"
	for range 1 + rnd.IntN(3) {
		if len(out) == 0 {
			return out
		}
		i := rnd.IntN(len(out))
		switch rnd.IntN(5) {
		case 0:
			out[i] = alphabet[rnd.IntN(len(alphabet))]
		case 1:
			out = append(out[:i], out[i+1:]...)
		case 2:
			out = append(out[:i+1], out[i:]...)
		case 3:
			out = append(out[:i], append([]byte{alphabet[rnd.IntN(len(alphabet))]}, out[i:]...)...)
		case 4:
			if rnd.IntN(4) == 0 {
				out = out[:i]
			}
		}
	}
	return out
}

// A set for the members of a value finds what a scan of that value finds, for every
// text that is nearly an object with one, and changes nothing else.
func TestInnerKeys(t *testing.T) {
	outer, inner := jsonl.NewKeys("type", "message", "id"), jsonl.NewKeys("role", "content", "id")
	both := outer.With(1, inner)
	agree := func(text []byte) {
		t.Helper()
		want, got := make([]jsonl.Span, outer.Len()+inner.Len()), make([]jsonl.Span, both.Len())
		shape, fault := outer.Scan(text, want)
		if value := want[1]; value.Present() && jsonl.KindOf(value.Of(text)) == '{' {
			in := want[outer.Len():]
			inner.Scan(value.Of(text), in)
			for i, s := range in {
				if s.Present() {
					in[i] = jsonl.Span{Start: value.Start + s.Start, End: value.Start + s.End}
				}
			}
		}
		if gotShape, gotFault := both.Scan(text, got); gotShape != shape || gotFault != fault || !slices.Equal(got, want) {
			t.Errorf("Scan(%q) = %v, %d, %v; want %v, %d, %v", text, gotShape, gotFault, got, shape, fault, want)
		}
	}
	for _, text := range []string{
		`{"type":"message","id":"a","message":{"role":"user","content":[{"role":"x"}]},"n":1}`,
		` { "message" : { "role":"user" , "id":"i" , "role":"assistant" } , "message":{"id":"j"} }`,
		`{"message":{"role":"user"},"message":"none"}`,
		`{"message":{},"m\u0065ssage":{"r\u006fle":"é"}}`,
		`{"message":[{"role":"user"}]}`,
		`[{"message":{"role":"user"}}]`,
	} {
		for i := range len(text) + 1 {
			agree([]byte(text[:i]))
			for _, c := range []byte("\"\\{}[]:, x0\x00\t\r\xff") {
				agree(slices.Concat([]byte(text[:i]), []byte{c}, []byte(text[i:])))
				if i < len(text) {
					agree(slices.Concat([]byte(text[:i]), []byte{c}, []byte(text[i+1:])))
				}
			}
		}
	}
}
