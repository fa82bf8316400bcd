package doctor_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/doctor"
)

// A line that is too long is found with its place, and removed without being
// read: a system with sparse files keeps it as a hole.
func TestTooLong(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n"
	const long = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"`
	const size = 20 << 30
	const rest = "\n" + `{"type":"message","id":"a2","parentId":null,"timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"user","content":"x"}}` + "\n"
	path := write(t, "", []byte(head+long), 0)
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(rest)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	found := has(check(t, path, quiet), doctor.TooLong)
	if len(found) != 1 || found[0].Line != 2 || found[0].Offset != int64(len(head)) {
		t.Fatalf("Check = %+v, want one line at %d that is too long", found, len(head))
	}
	if out, err := doctor.Fix(t.Context(), path, quiet); err != nil || len(out.After.Findings) != 0 {
		t.Fatalf("Fix = %+v, %v", out, err)
	}
	if got, want := string(readFile(t, path)), head+strings.TrimPrefix(rest, "\n"); got != want {
		t.Errorf("the repaired file is %q, want %q", got, want)
	}
}
