package jsonl_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestAppendCompact(t *testing.T) {
	tests := []struct{ src, want string }{
		{` { "a" : [ 1.0 , -0 , 1E3 ] , "b c" : " d \" e " } `, `{"a":[1.0,-0,1E3],"b c":" d \" e "}`}, // pitfall 20
		{"[\n\t1,\r\n\t\"\\u003c\u2028\"\n]\n", "[1,\"\\u003c\u2028\"]"},
		{`{}`, `{}`},
		{` null `, `null`},
		{"\"\xff \\ud83d\"", "\"\xff \\ud83d\""}, // pitfall 19
		{``, ``},
		{`["a`, `["a`}, // not valid, but nothing may panic
	}
	for _, tt := range tests {
		if got := string(jsonl.AppendCompact([]byte("x"), []byte(tt.src))); got != "x"+tt.want {
			t.Errorf("AppendCompact(%q) = %s; want %s", tt.src, got[1:], tt.want)
		}
	}
	for _, line := range seedLines(t) {
		if got := jsonl.AppendCompact(nil, line); !jsonl.Valid(got) {
			t.Errorf("AppendCompact(%s) = %s: not valid", line, got)
		}
	}
}

type inner struct {
	X      int    `json:"x"`
	Shadow string `json:"shadow"`
}

type outer struct {
	inner
	*pointed
	Named   inner `json:"named"`
	Shadow  string
	Omitted string          `json:"omitted,omitempty"`
	Empty   []string        `json:"empty,omitempty"`
	Nil     []string        `json:"nil"`
	Zero    time.Time       `json:"zero,omitzero"`
	Raw     json.RawMessage `json:"raw"`
	Skip    int             `json:"-"`
	//lint:ignore SA5008 this is how encoding/json names a member "-"
	Dash    int `json:"-,"`
	private int
	Any     any `json:"any"`
}

type pointed struct{ P int }

type textual struct{ s string }

func (x textual) MarshalText() ([]byte, error) { return []byte("<" + x.s + ">"), nil }

type byPointer struct{ n int }

func (x *byPointer) MarshalJSON() ([]byte, error) { return []byte(`{ "n" : 1 }`), nil }

func TestMarshal(t *testing.T) {
	var nilPointer *int
	n := 5
	tests := map[string]struct {
		v    any
		want string
	}{
		"nil":             {nil, `null`},
		"nil pointer":     {nilPointer, `null`},
		"pointer":         {&n, `5`},
		"bool":            {true, `true`},
		"ints":            {[]any{int8(-8), uint64(math.MaxUint64), int64(math.MinInt64)}, `[-8,18446744073709551615,-9223372036854775808]`},
		"floats":          {[]float64{1, 1e21, 1e-7, math.Copysign(0, -1), math.NaN(), math.Inf(1)}, `[1,1e+21,1e-7,0,null,null]`},
		"no HTML":         {"<a href=\"x\">&</a>", `"<a href=\"x\">&</a>"`},
		"line separator":  {"a\u2028b", "\"a\u2028b\""}, // pitfall 8
		"half a pair":     {"\xed\xa0\xbd", `"\ud83d"`}, // pitfall 19
		"not UTF-8":       {"a\xff", "\"a\ufffd\""},     //
		"map":             {map[string]any{"b": 1, "a": "<", "\n": nil}, `{"\n":null,"a":"<","b":1}`},
		"map of ints":     {map[int]string{10: "x", 9: "y"}, `{"10":"x","9":"y"}`},
		"nil map":         {map[string]int(nil), `null`},
		"empty":           {[]any{[]int{}, map[string]int{}, struct{}{}}, `[[],{},{}]`},
		"array":           {[3]int{1, 2, 3}, `[1,2,3]`},
		"bytes":           {[]byte("hi"), `"aGk="`},
		"raw":             {json.RawMessage(" { \"a\" : 1.0, \"b\":\"\\u2028\\u003c\" }"), `{"a":1.0,"b":"\u2028\u003c"}`}, // pitfall 20
		"number":          {json.Number("1.10"), `"1.10"`},
		"text marshaler":  {textual{"a"}, `"<a>"`},
		"text map key":    {map[textual]int{{"k"}: 1}, `{"<k>":1}`},
		"pointer methods": {[]byPointer{{1}}, `[{"n":1}]`},
		"time":            {time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`},
		"struct": {
			outer{inner: inner{X: 1, Shadow: "s"}, Shadow: "top", Raw: json.RawMessage(`[ ]`), Any: &n, private: 1},
			`{"x":1,"shadow":"s","named":{"x":0,"shadow":""},"Shadow":"top","nil":null,"raw":[],"-":0,"any":5}`,
		},
		"embedded pointer": {struct{ *pointed }{&pointed{3}}, `{"P":3}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := jsonl.Marshal(tt.v)
			if string(got) != tt.want || err != nil {
				t.Errorf("Marshal(%#v) = %s, %v; want %s", tt.v, got, err, tt.want)
			}
		})
	}
}

type broken struct{ err error }

func (x broken) MarshalJSON() ([]byte, error) { return []byte(`{`), x.err }

func TestMarshalErrors(t *testing.T) {
	cause := errors.New("no value")
	if _, err := jsonl.Marshal([]any{broken{cause}}); !errors.Is(err, cause) {
		t.Errorf("Marshal = %v; want an error that wraps %v", err, cause)
	}
	type list []any
	cycle := make(list, 1)
	cycle[0] = cycle
	for name, v := range map[string]any{
		"invalid JSON": broken{},
		"channel":      make(chan int),
		"function":     map[string]any{"f": func() {}},
		"map key":      map[float64]int{1: 1},
		"cycle":        cycle,
		"string option": struct {
			N int `json:",string"`
		}{1},
	} {
		if got, err := jsonl.Marshal(v); err == nil || !strings.HasPrefix(err.Error(), "jsonl: ") {
			t.Errorf("Marshal(%s) = %s, %v; want an error of jsonl", name, got, err)
		}
	}
}

// encoding/json reads back what was marshaled.
func TestMarshalRoundTrip(t *testing.T) {
	for _, line := range seedLines(t) {
		var v, back any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		got, err := jsonl.Marshal(v)
		if err != nil || json.Unmarshal(got, &back) != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("Marshal(%s) = %s, %v; want the same value", line, got, err)
		}
	}
}

// For any value at the maximum depth of Marshal, the result is an error or
// JSON.
func TestMarshalDeepNil(t *testing.T) {
	for levels := 480; levels < 520; levels++ {
		list := []any{nil}
		for range levels {
			list = []any{list}
		}
		for _, v := range []any{list, &list} {
			if got, err := jsonl.Marshal(v); err == nil && !jsonl.Valid(got) {
				t.Errorf("Marshal of nil in %d lists = %.20q; want JSON", levels, got)
			}
		}
	}
}
