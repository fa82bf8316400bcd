package configfile_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops/configfile"
)

var entry = map[string]any{"command": "/bin/pith"}

// A setting is added in the style of the file and is there once; removing it gives the
// former bytes.
func TestJSON(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":         {"", "{\n  \"a\": {\n    \"pith\": {\n      \"command\": \"/bin/pith\"\n    }\n  }\n}\n"},
		"other members": {"{\n\t\"x\": 1\n}\n", "{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"pith\": {\n\t\t\t\"command\": \"/bin/pith\"\n\t\t}\n\t}\n}\n"},
		"one line":      {`{"x":[1, 2]}`, `{"x":[1, 2],"a":{"pith":{"command":"/bin/pith"}}}`},
		"mark and CRLF": {"\ufeff{\r\n  \"a\": {\r\n    \"b\": 1\r\n  }\r\n}\r\n", "\ufeff{\r\n  \"a\": {\r\n    \"b\": 1,\r\n    \"pith\": {\r\n      \"command\": \"/bin/pith\"\r\n    }\r\n  }\r\n}\r\n"},
		"comments": {"// top\n{\n  \"a\": {\n    \"b\": 1 // one\n    /* last */\n  } // end\n}\n",
			"// top\n{\n  \"a\": {\n    \"b\": 1, // one\n    /* last */\n    \"pith\": {\n      \"command\": \"/bin/pith\"\n    }\n  } // end\n}\n"},
		"trailing comma": {"{\n  \"a\": {\n    \"b\": 1,\n  },\n}\n", "{\n  \"a\": {\n    \"b\": 1,\n    \"pith\": {\n      \"command\": \"/bin/pith\"\n    },\n  },\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := configfile.ParseJSON([]byte(test.text), true)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := f.Set(entry, "a", "pith"); err != nil {
					t.Fatal(err)
				}
				if got := string(f.Bytes()); strings.ReplaceAll(got, " ,", ",") != test.want {
					t.Fatalf("Set = %q\nwant  %q", got, test.want)
				}
			}
			f, err = configfile.ParseJSON(f.Bytes(), true)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Remove("a", "pith"); err != nil {
				t.Fatal(err)
			}
			want := test.text
			if want == "" {
				want = "{\n}\n"
			}
			if got := string(f.Bytes()); got != want {
				t.Errorf("Remove = %q\nwant    %q", got, want)
			}
		})
	}
}

// An element is appended to an array, found and removed.
func TestJSONArrays(t *testing.T) {
	ours := func(raw []byte) bool { return bytes.Contains(raw, []byte("pith")) }
	for _, text := range []string{`{"x":1}`, "{\n  \"x\": 1\n}\n", "{\n  \"hooks\": {\n    \"Start\": [\n      {\"command\": \"other\"} // theirs\n    ]\n  }\n}\n"} {
		f, err := configfile.ParseJSON([]byte(text), true)
		if err != nil {
			t.Fatal(err)
		}
		if f.Has(ours, "hooks", "Start") {
			t.Errorf("%q has it before", text)
		}
		if err := f.Append(entry, "hooks", "Start"); err != nil {
			t.Fatal(err)
		}
		if f, err = configfile.ParseJSON(f.Bytes(), true); err != nil || !f.Has(ours, "hooks", "Start") {
			t.Fatalf("%q, %v; want the element", f.Bytes(), err)
		}
		if err := f.RemoveWhere(ours, "hooks", "Start"); err != nil {
			t.Fatal(err)
		}
		if got := string(f.Bytes()); got != text {
			t.Errorf("RemoveWhere = %q\nwant          %q", got, text)
		}
	}
}

// What is no configuration of the expected shape is refused.
func TestJSONRefuses(t *testing.T) {
	for _, text := range []string{"{", "[]", "{\"a\":1}}", "nonsense"} {
		if _, err := configfile.ParseJSON([]byte(text), true); err == nil {
			t.Errorf("ParseJSON(%q) = nil; want an error", text)
		}
	}
	if _, err := configfile.ParseJSON([]byte("{} // x"), false); err == nil {
		t.Error("comments are taken")
	}
	f, err := configfile.ParseJSON([]byte(`{"a":[]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Set(entry, "a", "pith"); !errors.Is(err, configfile.ErrShape) {
		t.Errorf("Set in an array = %v; want ErrShape", err)
	}
	if err := f.Append(entry, "a", "b"); !errors.Is(err, configfile.ErrShape) {
		t.Errorf("Append = %v; want ErrShape", err)
	}
}

// A table is added at the end, replaced in its place, and removed without a trace.
func TestTOML(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "top level": "model = \"m\" # mine\n", "other tables": "# c\nmodel = \"m\"\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[z]\na = 1\n",
		"mark and CRLF": "\ufeffmodel = \"m\"\r\n\r\n[z]\r\na = 1\r\n", "brackets": "a = [\n  1,\n]\n",
	} {
		t.Run(name, func(t *testing.T) {
			set, err := configfile.SetTable([]byte(text), "mcp_servers.pith", []string{`command = "pith"`, `args = ["mcp"]`})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(set), text) {
				t.Errorf("SetTable = %q; want it to begin with the file", set)
			}
			again, err := configfile.SetTable(set, "mcp_servers.pith", []string{`command = "pith"`, `args = ["mcp"]`})
			if err != nil || string(again) != string(set) {
				t.Errorf("SetTable again = %q, %v; want %q", again, err, set)
			}
			other, err := configfile.SetTable(set, "mcp_servers.pith", []string{`command = "pith2"`})
			if err != nil || !strings.Contains(string(other), "pith2") || strings.Contains(string(other), `args = ["mcp"]`) {
				t.Errorf("SetTable of another one = %q, %v", other, err)
			}
			back, err := configfile.SetTable(set, "mcp_servers.pith", nil)
			if err != nil || string(back) != text {
				t.Errorf("removed: %q, %v; want %q", back, err, text)
			}
		})
	}
	for _, text := range []string{"a = \n", "mcp_servers = { pith = { command = \"x\" } }\n", "mcp_servers.pith.command = \"x\"\n", "s = \"\"\"\n[mcp_servers.pith]\n\"\"\"\n"} {
		if got, err := configfile.SetTable([]byte(text), "mcp_servers.pith", []string{`command = "pith"`}); err == nil {
			t.Errorf("SetTable(%q) = %q; want an error", text, got)
		}
	}
}
