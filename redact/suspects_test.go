package redact

import "testing"

func TestSuspects(t *testing.T) {
	const key = "kR9Xw2LmQ4vT7hbZ3dPq8sYn5cJf6gAe"
	tests := map[string]struct{ in, want string }{
		"alone":          {"see " + key + " there", "see [suspect#1] there"},
		"with a prefix":  {"see acme_live_" + key + ".", "see [suspect#1]."},
		"in a path":      {"https://files.test/d/" + key + "/edit", "https://files.test/d/[suspect#1]/edit"},
		"in JSON":        {`{"a":"` + key + `","b":"` + key + `"}`, `{"a":"[suspect#1]","b":"[suspect#1]"}`},
		"a secret first": {"see " + key + ", TOKEN=" + key, "see [redacted:generic-api-key#1], TOKEN=[redacted:generic-api-key#1]"},
		"words":          {"runtime/internal/TestReadWriteCloserFromConnectionPool2024HTTPServer", "runtime/internal/TestReadWriteCloserFromConnectionPool2024HTTPServer"},
		"a hash":         {"da39a3ee5e6b4b0d3255bfef95601890afd80709", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		"a UUID":         {"01a1e12a-eea8-7050-a031-60f35b86e621", "01a1e12a-eea8-7050-a031-60f35b86e621"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := New(Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, _ := r.Text(tt.in)
			if tt.in[0] == '{' {
				line, _ := r.Line([]byte(tt.in))
				out = string(line)
			}
			if out != tt.want {
				t.Errorf("%q became %q; want %q", tt.in, out, tt.want)
			}
			keep, err := New(Options{KeepSuspects: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, found := keep.Text("see " + key); len(found) > 0 {
				t.Errorf("KeepSuspects replaces %v", found)
			}
		})
	}
}

// TestExemptions wants nothing suspected in the example of each exemption.
func TestExemptions(t *testing.T) {
	for _, e := range exemptions {
		r, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if out, found := r.Text(e.example); len(found) > 0 {
			t.Errorf("%s: %q", e.id, out)
		}
	}
}
