package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/plainuser"
)

// docs/reference/json.md has every code once, in the row of its severity.
func TestDocumentNamesEveryCode(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range doctor.Codes() {
		row := regexp.MustCompile(`(?m)^\| ` + code.Severity().String() + `: .*$`).FindString(string(doc))
		if !strings.Contains(row, "`"+string(code)+"`") {
			t.Errorf("docs/reference/json.md does not name %s among the codes of severity %s", code, code.Severity())
		}
	}
}

// An unreadable directory of sessions is an error, not an empty list.
func TestDoctorTellsOfClosedFolders(t *testing.T) {
	if plainuser.Needed(t) {
		return
	}
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	d := desk{}
	code, stdout, _ := d.run(t, "doctor", dir)
	if code != 8 || !strings.Contains(stdout, closed) || !strings.Contains(stdout, "(unreadable)") {
		t.Errorf("pith doctor of a folder with one that is closed = %d, %q; want 8 and its name", code, stdout)
	}
}

// On a terminal findings are broken between words.
func TestDoctorOnATerminal(t *testing.T) {
	dir := t.TempDir()
	d := desk{terminal: true, width: 60, env: map[string]string{"NO_COLOR": "1"}}
	if code, _, stderr := d.run(t, "demo", dir); code != 0 {
		t.Fatal(stderr)
	}
	_, narrow, _ := d.run(t, "doctor", dir)
	d.width = 1000
	_, wide, _ := d.run(t, "doctor", dir)
	if !strings.Contains(wide, "\n          fix: ") || strings.Join(strings.Fields(narrow), " ") != strings.Join(strings.Fields(wide), " ") {
		t.Errorf("other words in a narrow terminal:\n%s\nand in a wide one:\n%s", narrow, wide)
	}
	for line := range strings.Lines(narrow) {
		if strings.HasPrefix(line, "  ") && len(line) > 61 {
			t.Errorf("a line is too long: %s", line)
		}
	}
}

// Findings that many files share are printed in one line, also when they are
// repaired: they must not hide those of the others.
func TestRepairsOfManyAlike(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there")
	}
	dir := t.TempDir()
	d := desk{}
	if code, _, stderr := d.run(t, "demo", dir); code != 0 {
		t.Fatal(stderr)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			continue // a plain user must still be able to enter it
		}
		if err := os.Chmod(filepath.Join(dir, f.Name()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ flag, ends string }{{"--dry-run", "would be repaired"}, {"--fix", "repaired"}} {
		code, stdout, _ := d.run(t, "doctor", dir, tt.flag)
		before, alike, ok := strings.Cut(stdout, "\n5 files with the same finding\n")
		if code != 0 || !ok || strings.Count(before, "(mode)") != 2 || !strings.Contains(before, "(torn)") || !strings.Contains(alike, "\n  5 "+tt.ends+"\n") {
			t.Errorf("pith doctor %s = %d\n%s\nwant what is wrong with two files, and then one line about five", tt.flag, code, stdout)
		}
	}
}
