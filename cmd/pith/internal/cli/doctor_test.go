package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/plainuser"
)

// docs/cli.md has every code once, in the row of its severity.
func TestDocumentNamesEveryCode(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range doctor.Codes() {
		row := regexp.MustCompile(`(?m)^\| ` + code.Severity().String() + `: .*$`).FindString(string(doc))
		if !strings.Contains(row, "`"+string(code)+"`") {
			t.Errorf("docs/cli.md does not name %s among the codes of severity %s", code, code.Severity())
		}
	}
}

// A folder of sessions that may not be read is an error, not nothing.
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
