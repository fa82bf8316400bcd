package redact_test

import (
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// Names that are words of the format do not change it: types and links of lines
// are not names.
func TestNamesLeaveTheFormat(t *testing.T) {
	r, err := redact.New(redact.Options{Names: redact.Names{User: "user", Words: []string{"session", "message"}}})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"type":"session","id":"session","cwd":"/home/user/p"}`:          `{"type":"session","id":"session","cwd":"/home/[redacted:user#1]/p"}`,
		`{"type" : "message","message":{"role":"user","content":"user"}}`: `{"type" : "message","message":{"role":"user","content":"[redacted:user#1]"}}`,
	} {
		if got, _ := r.Line([]byte(line)); string(got) != want {
			t.Errorf("Line(%s) = %s; want %s", line, got, want)
		}
	}
}
