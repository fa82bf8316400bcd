package jsonl_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestSet(t *testing.T) {
	tests := map[string]struct{ obj, name, value, want string }{
		"replace":           {`{"a":1,"b":2,"c":3}`, "b", `"x"`, `{"a":1,"b":"x","c":3}`},
		"replace the last":  {`{"a":1,"b":2,"a":3}`, "a", `4`, `{"a":1,"b":2,"a":4}`},
		"nothing else":      {`{ "a" : 1.0 , "b":"\u0041\/" ,"c" :{ } } `, "a", `2`, `{ "a" : 2 , "b":"\u0041\/" ,"c" :{ } } `},
		"escaped name":      {`{"\u0061":1}`, "a", `2`, `{"\u0061":2}`},
		"add":               {`{"a":1}`, "b", `[]`, `{"a":1,"b":[]}`},
		"add before space":  {"{\"a\":1 }\r\n", "b", `2`, "{\"a\":1,\"b\":2 }\r\n"},
		"add to empty":      {`{}`, "a", `1`, `{"a":1}`},
		"add to blank":      {` { } `, "a", `1`, ` {"a":1 } `},
		"name with quote":   {`{}`, `a"`, `1`, `{"a\"":1}`},
		"nested is not it":  {`{"m":{"a":1}}`, "a", `2`, `{"m":{"a":1},"a":2}`},
		"not an object":     {`[1]`, "a", `1`, `[1]`},
		"not JSON":          {`{"a":1,`, "b", `1`, `{"a":1,`},
		"found, then torn":  {`{"a":1,`, "a", `2`, `{"a":1,`},
		"nothing":           {``, "b", `1`, ``},
		"pitfall 20":        {`{"n":1.10,"big":12345678901234567890,"z":1,"a":"<&>"}`, "z", `2`, `{"n":1.10,"big":12345678901234567890,"z":2,"a":"<&>"}`},
		"pitfall 19":        {`{"t":"\ud83d","z":1}`, "z", `2`, `{"t":"\ud83d","z":2}`},
		"bytes of no UTF-8": {"{\"t\":\"\xff\",\"z\":1}", "z", `2`, "{\"t\":\"\xff\",\"z\":2}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			obj := []byte(tt.obj)
			got := jsonl.Set(obj, tt.name, []byte(tt.value))
			if string(got) != tt.want {
				t.Errorf("Set(%s, %q, %s) = %s; want %s", tt.obj, tt.name, tt.value, got, tt.want)
			}
			if string(obj) != tt.obj || len(obj) > 0 && &got[0] == &obj[0] {
				t.Errorf("Set(%s, %q, %s) changed or returned its argument", tt.obj, tt.name, tt.value)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	tests := map[string]struct{ obj, name, want string }{
		"only":          {`{"a":1}`, "a", `{}`},
		"first":         {`{"a":1,"b":2}`, "a", `{"b":2}`},
		"middle":        {`{"a":1,"b":2,"c":3}`, "b", `{"a":1,"c":3}`},
		"last":          {`{"a":1,"b":2}`, "b", `{"a":1}`},
		"absent":        {`{"a":1 , "b":2}`, "c", `{"a":1 , "b":2}`},
		"all of three":  {`{"a":1,"a":2,"a":3}`, "a", `{}`},
		"two in front":  {`{"a":1, "a":2, "b":3}`, "a", `{"b":3}`},
		"around":        {`{"a":1,"b":2,"a":3,"c":4,"a":5}`, "a", `{"b":2,"c":4}`},
		"white space":   {"{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "b", "{\n  \"a\": 1,\n  \"c\": 3\n}"},
		"first of many": {"{\n  \"a\": 1,\n  \"b\": 2\n}", "a", "{\n  \"b\": 2\n}"},
		"space kept":    {` { "a" : 1 , "b" : 2 } `, "b", ` { "a" : 1  } `},
		"escaped name":  {`{"\u0061":1,"b":2}`, "a", `{"b":2}`},
		"nested":        {`{"m":{"a":1},"a":2}`, "a", `{"m":{"a":1}}`},
		"not an object": {`["a"]`, "a", `["a"]`},
		"torn":          {`{"a":1,"b"`, "a", `{"a":1,"b"`},
		"empty":         {`{}`, "a", `{}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(jsonl.Delete([]byte(tt.obj), tt.name)); got != tt.want {
				t.Errorf("Delete(%s, %q) = %s; want %s", tt.obj, tt.name, got, tt.want)
			}
		})
	}
}

func TestSetIn(t *testing.T) {
	tests := map[string]struct {
		obj  string
		path []string
		want string
		ok   bool
	}{
		"nested":        {`{"message":{"role":"a" ,"x":1},"role":"b"}`, []string{"message", "role"}, `{"message":{"role":0 ,"x":1},"role":"b"}`, true},
		"three levels":  {` {"a":{"b":{"c":[1, 2]}}}`, []string{"a", "b", "c"}, ` {"a":{"b":{"c":0}}}`, true},
		"one level":     {`{"a":1}`, []string{"a"}, `{"a":0}`, true},
		"the last":      {`{"a":{"b":1},"a":{"b":2,"b":3}}`, []string{"a", "b"}, `{"a":{"b":1},"a":{"b":2,"b":0}}`, true},
		"absent":        {`{"a":{}}`, []string{"a", "b"}, ``, false},
		"not an object": {`{"a":"b"}`, []string{"a", "b"}, ``, false},
		"torn":          {`{"a":1,`, []string{"a"}, ``, false},
		"no path":       {`{"a":1}`, nil, ``, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want := tt.want
			if !tt.ok {
				want = tt.obj
			}
			if got, ok := jsonl.SetIn([]byte(tt.obj), []byte("0"), tt.path...); string(got) != want || ok != tt.ok {
				t.Errorf("SetIn(%s, 0, %q) = %s, %t; want %s, %t", tt.obj, tt.path, got, ok, want, tt.ok)
			}
		})
	}
}

// FuzzSurgery checks that an edit does what it says and touches nothing else.
func FuzzSurgery(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(line, "type", []byte(`"x"`))
		f.Add(line, "absent", []byte(`{"a": [1]}`))
	}
	f.Add([]byte(`{"a":1,"a":2, "b":3 ,"a":4}`), "a", []byte("null"))
	f.Fuzz(func(t *testing.T, obj []byte, name string, value []byte) {
		if shape, _, _ := judge(obj); shape != jsonl.Object || !jsonl.Valid(value) || !utf8.ValidString(name) {
			// No promise but this one: nothing panics.
			jsonl.Set(obj, name, value)
			jsonl.SetIn(obj, value, name, name)
			jsonl.Delete(obj, name)
			return
		}
		value = bytes.Trim(value, " \t\r\n")

		set := jsonl.Set(obj, name, value)
		got, ok := jsonl.Lookup(set, name)
		if !jsonl.Valid(set) || !ok || !bytes.Equal(got, value) {
			t.Fatalf("Set(%q, %q, %q) = %q, where the member is %q, %t", obj, name, value, set, got, ok)
		}
		if a, b := otherMembers(obj, name), otherMembers(set, name); !equalAll(a, b) {
			t.Fatalf("Set(%q, %q, %q) = %q: other members changed", obj, name, value, set)
		}
		if in, ok := jsonl.SetIn(set, value, name); !ok || !bytes.Equal(in, set) {
			t.Fatalf("SetIn(%q, %q, %q) = %q, %t; want no change", set, value, name, in, ok)
		}

		deleted := jsonl.Delete(set, name)
		if _, ok := jsonl.Lookup(deleted, name); ok || !jsonl.Valid(deleted) {
			t.Fatalf("Delete(%q, %q) = %q", set, name, deleted)
		}
		if a, b := otherMembers(obj, name), otherMembers(deleted, name); !equalAll(a, b) {
			t.Fatalf("Delete(%q, %q) = %q: other members changed", set, name, deleted)
		}
	})
}

// otherMembers returns names and values of obj, raw, without the named member.
func otherMembers(obj []byte, name string) [][]byte {
	var out [][]byte
	for key, value := range jsonl.Members(obj) {
		if got, _ := jsonl.String(key); got != name {
			out = append(out, key, value)
		}
	}
	return out
}

func equalAll(a, b [][]byte) bool {
	return bytes.Equal(bytes.Join(a, nil), bytes.Join(b, nil)) && len(a) == len(b)
}
