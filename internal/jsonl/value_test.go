package jsonl_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestLookup(t *testing.T) {
	tests := []struct {
		obj, name, want string
		ok              bool
	}{
		{`{"a":1,"b":"x"}`, "b", `"x"`, true},
		{`{"a":1,"a":2}`, "a", `2`, true},
		{`{"\u0061":1}`, "a", `1`, true},
		{`{"\ud83d":1}`, "\xed\xa0\xbd", `1`, true}, // pitfall 19
		{` { "a" : [ 1 ] } `, "a", `[ 1 ]`, true},
		{`{"":0}`, "", `0`, true},
		{`{"ab":1}`, "a", ``, false},
		{`{"a\u0062":1}`, "a", ``, false},
		{`{"\u0061":1}`, "ab", ``, false},
		{`{}`, "a", ``, false},
		{`["a"]`, "a", ``, false},
		{``, "a", ``, false},
		{`{"a"`, "a", ``, false},
	}
	for _, tt := range tests {
		if got, ok := jsonl.Lookup([]byte(tt.obj), tt.name); string(got) != tt.want || ok != tt.ok {
			t.Errorf("Lookup(%s, %q) = %s, %t; want %s, %t", tt.obj, tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func TestMembers(t *testing.T) {
	tests := []struct{ obj, want string }{
		{`{}`, ``},
		{`{"a":1}`, `"a"=1;`},
		{` { "b" : "x" , "a" : { "c" : 1 } , "b":[]}`, `"b"="x";"a"={ "c" : 1 };"b"=[];`},
		{`[1]`, ``},
		{``, ``},
		{`{"a":1,"b":}`, `"a"=1;`},
		{`{"a":1,`, `"a"=1;`},
		{`{"a`, ``},
		{`{"a":1 x`, `"a"=1;`},
	}
	for _, tt := range tests {
		var got strings.Builder
		for key, value := range jsonl.Members([]byte(tt.obj)) {
			got.WriteString(string(key) + "=" + string(value) + ";")
		}
		if got.String() != tt.want {
			t.Errorf("Members(%s) = %s; want %s", tt.obj, got.String(), tt.want)
		}
	}
	for key := range jsonl.Members([]byte(`{"a":1,"b":2}`)) {
		if string(key) != `"a"` {
			t.Errorf("Members went on after break")
		}
		break
	}
}

func TestElements(t *testing.T) {
	tests := []struct{ arr, want string }{
		{`[]`, ``},
		{` [ ] `, ``},
		{`[1]`, `1;`},
		{` [ 1 , "a,b" , [ 2,3 ] , { "x" : 4 } , null ] `, `1;"a,b";[ 2,3 ];{ "x" : 4 };null;`},
		{`{"a":1}`, ``},
		{``, ``},
		{`[1,`, `1;`},
		{`[1,]`, `1;`},
		{`[1 2]`, `1;`},
	}
	for _, tt := range tests {
		var got strings.Builder
		for value := range jsonl.Elements([]byte(tt.arr)) {
			got.WriteString(string(value) + ";")
		}
		if got.String() != tt.want {
			t.Errorf("Elements(%s) = %s; want %s", tt.arr, got.String(), tt.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for raw, want := range map[string]byte{
		`{}`: '{', ` [1]`: '[', "\n\"a\"": '"', `true`: 't', `false`: 'f', `null`: 'n',
		`0`: '0', `-1`: '0', `9.5`: '0', ``: 0, ` `: 0, `x`: 0, `+1`: 0, `.5`: 0, `}`: 0,
	} {
		if got := jsonl.KindOf([]byte(raw)); got != want {
			t.Errorf("KindOf(%q) = %q; want %q", raw, got, want)
		}
	}
}

func TestBoolAndNull(t *testing.T) {
	tests := []struct {
		raw             string
		value, ok, null bool
	}{
		{`true`, true, true, false},
		{` false `, false, true, false},
		{`null`, false, false, true},
		{"\tnull\n", false, false, true},
		{`"true"`, false, false, false},
		{`truex`, false, false, false},
		{`1`, false, false, false},
		{``, false, false, false},
	}
	for _, tt := range tests {
		value, ok := jsonl.Bool([]byte(tt.raw))
		if null := jsonl.IsNull([]byte(tt.raw)); value != tt.value || ok != tt.ok || null != tt.null {
			t.Errorf("Bool(%q) = %t, %t and IsNull = %t; want %t, %t and %t", tt.raw, value, ok, null, tt.value, tt.ok, tt.null)
		}
	}
}
