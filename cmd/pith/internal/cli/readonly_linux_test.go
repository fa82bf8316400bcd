package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/store/storetest"
)

// A session on a read-only disk can be read; every command that writes says why
// it cannot.
func TestReadOnlyDisk(t *testing.T) {
	dir := storetest.Disk(t, "1m")
	if err := os.CopyFS(dir, os.DirFS("testdata/sessions")); err != nil {
		t.Fatal(err)
	}
	past := time.Date(2025, 2, 3, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "old.jsonl"), past, past); err != nil { // not in use
		t.Fatal(err)
	}
	storetest.MakeReadOnly(t, dir)
	file := filepath.Join(dir, "talk.jsonl")
	d := desk{env: map[string]string{"XDG_DATA_HOME": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}}
	t.Setenv("PATH", "")
	for _, args := range [][]string{{"show", file}, {"tree", file}, {"context", file}, {"ls", "--all", "--session-dir", dir}} {
		if code, _, stderr := d.run(t, args...); code != 0 {
			t.Errorf("pith %q = %d, %q; want 0", args, code, stderr)
		}
	}
	for _, args := range [][]string{
		{"append", file, "hello"}, {"name", file, "hello"}, {"label", file, "aa000006", "hello"}, {"branch", file, "aa000006"},
		{"clone", file}, {"fork", file, "aa00000a"}, {"rm", "--yes", file}, {"doctor", "--fix", filepath.Join(dir, "old.jsonl")},
		{"new", "--session-dir", dir, "--message", "hello"}, {"demo", dir}, {"append", filepath.Join(dir, "new.jsonl"), "--create", "hello"},
		{"gc", "--session-dir", dir, "--older-than", "2025-12-31", "--yes"}, {"fork", file, "--into", t.TempDir(), "--session-dir", dir},
		{"compact", file, "--keep-tokens", "1"}, {"branch", file, "aa000006", "--summarize", "--summarizer", "extract"},
	} {
		code, stdout, stderr := d.run(t, args...)
		if code != 7 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "read-only") {
			t.Errorf("pith %q = %d, %q, %q; want 7 and one line that says read-only", args, code, stdout, stderr)
		}
	}
}
