package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/store/storetest"
)

// An export to a full disk says so in a line and leaves nothing, in every format and
// whether the disk is full where the file goes or where its parts wait.
func TestExportToAFullDisk(t *testing.T) {
	talk, err := os.ReadFile("testdata/sessions/talk.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	lines := strings.SplitAfter(string(talk), "\n")
	long := strings.Join(lines[:len(lines)-1], "") + `{"type":"custom_message","id":"ff000001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","customType":"x","display":true,"content":"` + noise(200_000) + `"}` + "\n"
	if err := os.WriteFile(file, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, full := range map[string]bool{"where the file goes": true, "where parts wait": false} {
		t.Run(name, func(t *testing.T) {
			disk := storetest.Disk(t, "64k")
			out := disk
			if !full {
				out = t.TempDir()
				t.Setenv("TMPDIR", disk)
			}
			d := desk{}
			for _, format := range []string{"html", "md", "jsonl"} {
				if !full && format != "html" {
					continue // nothing waits
				}
				code, stdout, stderr := d.run(t, "export", file, "--at", "ff000001", "--yes", "-o", filepath.Join(out, "x."+format))
				if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "no space left") {
					t.Errorf("%s: %d, %q, %q; want 1 and one line about space", format, code, stdout, stderr)
				}
			}
			for _, dir := range []string{disk, out} {
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("left on the disk: %v, %v", left, err)
				}
			}
		})
	}
}

// noise is text that does not get smaller when it is compressed.
func noise(n int) string {
	var b strings.Builder
	state := uint32(1)
	for b.Len() < n {
		state = state*1664525 + 1013904223
		b.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."[state>>26])
	}
	return b.String()
}
