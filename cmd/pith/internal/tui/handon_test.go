package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/redact"
)

// An export asks for a file name, and a person sees the redactions before
// anything is written.
func TestExport(t *testing.T) {
	const secret, own = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "correct horse battery staple"
	d := newDesk(t)
	file := d.session("The "+secret+" affair", "the token is "+secret+" and the word "+own, "<noted", "now go on", "<done")
	d.start(func(c *tui.Config) {
		c.Open, c.App.Secrets = file, redact.Sources{Environ: []string{"APP_PASSWORD=" + own}}
	})
	d.sees("done")
	d.press("i")
	d.types("/export")
	d.sees("Export to")
	d.sees("> the-redacted-github-pat-1-affair.html")
	d.press("enter")
	d.sees("Replace 4 secrets and write ~/proj/the-redacted-github-pat-1-affair.html?")
	d.sees("github-pat")
	d.sees("1 secret, 1 match")
	d.press("n")
	d.sees("nothing written")
	if got := d.written(); len(got) > 0 {
		t.Fatalf("after No there are %q", got)
	}

	d.types("/export notes.md")
	d.sees("and write ~/proj/n")
	d.press("enter")
	d.sees("exported to ~/proj/notes.md; ")
	text, err := os.ReadFile(filepath.Join(d.cwd, "notes.md"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Contains(got, secret) || strings.Contains(got, own) || !strings.Contains(got, "[redacted:github-pat#1]") || !strings.Contains(got, "now go on") {
		t.Errorf("exported\n%s", got)
	}
	d.types("/export notes.md")
	d.sees("and write ~/proj/n")
	d.press("enter")
	d.sees("export to ~/proj/notes.md: the file already exists")
	d.types("/export notes.txt")
	d.sees("use a name that ends in .html, .md or .jsonl")
	d.types("/export nope/x.md")
	d.sees("and write ~/proj/nope/x.md?")
	d.press("enter")
	d.sees("~/proj/nope does not exist; create it first")
	if got := d.written(); len(got) != 1 {
		t.Errorf("there are %q; want notes.md alone", got)
	}
}

// Suspects are shown with the text around them, which cannot act, and are replaced or
// kept.
func TestExportOfSuspects(t *testing.T) {
	const suspect = "q7Zr9KxW2mVt4LbN8sYd3HfG6pJc1TaE"
	d := newDesk(t)
	file := d.session("plan", "look at \x1b]0;owned\x07 "+suspect+" there", "<noted")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("noted")
	d.press("i")
	for key, want := range map[string]bool{"k": true, "y": false} {
		name := key + ".md"
		d.types("/export " + name)
		d.sees("Replace 1 suspect and write ~/proj/" + name + "?")
		d.sees(`\u001b]0;owned\u0007 [suspect#1] there`)
		d.press(key)
		d.sees("exported to ~/proj/" + name)
		text, err := os.ReadFile(filepath.Join(d.cwd, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), suspect) != want {
			t.Errorf("after %s the file is\n%s", key, text)
		}
	}
}

// From the tree the path to an entry is exported, and Esc leaves everything as it is.
func TestExportFromTheTree(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one", "two", "<answer two")
	d.start(func(c *tui.Config) { c.Open, c.Tree = file, true })
	d.sees("◆ answer two")
	d.press("up up x")
	d.sees("> session-")
	d.press("esc")
	d.gone("Export to")
	d.sees("› tree") // it stays
	d.press("down down")
	d.press("up up x")
	d.sees("> session-")
	d.press("ctrl+u")
	d.update(tea.PasteMsg{Content: "path.jsonl"})
	d.press("enter")
	d.sees("exported to ~/proj/path.jsonl")
	if got := strings.Join(d.texts(filepath.Join(d.cwd, "path.jsonl")), ","); got != "one,<answer one" {
		t.Errorf("exported %q", got)
	}
	if got := d.written(); len(got) != 1 {
		t.Errorf("there are %q", got)
	}
}

// written are the files in the project.
func (d *desk) written() (names []string) {
	d.t.Helper()
	files, err := os.ReadDir(d.cwd)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
