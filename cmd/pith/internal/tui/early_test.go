package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// The sessions that were used last are shown before the list is read; the list then
// removes those that are gone and adds those that are new. The list cannot be read
// before the test says so.
func TestSessionsBeforeTheListIsRead(t *testing.T) {
	for _, everywhere := range []bool{false, true} {
		t.Run(fmt.Sprint("all=", everywhere), func(t *testing.T) {
			d := newDesk(t)
			dir := d.env().Place(d.cwd).For(d.cwd)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			write := func(name string, second int) string {
				t.Helper()
				file := filepath.Join(dir, name+".jsonl")
				text := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:%02d:%02d.000Z","message":{"role":"user","content":%q}}
`, name, d.cwd, second/60, second%60, "asked in "+name)
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return file
			}
			for i := range 1000 { // a smaller index saves no recent sessions
				write(fmt.Sprintf("s%04d", i), i)
			}
			doomed := write("doomed", 1001)
			write("stays", 1002)
			index, err := catalog.OpenIndex(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			app := &ops.App{Environment: d.env(), Index: func() *catalog.Index { return index }}
			if _, err := catalog.Sorted(catalog.ListAll(t.Context(), app.Listing())); err != nil {
				t.Fatal(err)
			}
			read := make(chan struct{})
			app.Environment.Getenv = func(name string) string {
				if strings.Contains(string(debug.Stack()), "catalog.List") {
					<-read
				}
				return d.env().Getenv(name)
			}
			t.Cleanup(func() { // after the app was closed
				if err := index.Close(); err != nil {
					t.Error(err)
				}
			})
			d.start(func(c *tui.Config) { c.App, c.All = app, everywhere })
			d.sees("asked in stays")
			d.sees("asked in doomed")
			if err := os.Remove(doomed); err != nil {
				t.Fatal(err)
			}
			write("new", 1003)
			if strings.Contains(d.screen(), "asked in new") {
				t.Error("the list was read before the first rows were shown")
			}
			close(read)
			d.sees("asked in new")
			d.gone("asked in doomed")
			d.sees("asked in stays")
		})
	}
}

// Keys that are pressed before the first row, or before the next screen, act when it is
// there. Esc drops them.
func TestKeysWaitForWhatTheyActOn(t *testing.T) {
	for pressed, want := range map[string]string{
		"ctrl+d":     "Delete “Parser bug”?",
		"enter":      "answer one",
		"ctrl+j":     "answer one", // Enter, before the app had the terminal
		"down enter": "answer two",
		"enter t":    "› tree",
		"space t [":  "› ● one",
		"enter L x":  "> x",
	} {
		d := newDesk(t)
		d.session("", "two", "<answer two")
		d.session("Parser bug", "one", "<answer one")
		d.start(nil)
		d.press(pressed)
		d.sees(want)
	}
	d := newDesk(t)
	d.session("", "one", "<answer one")
	d.start(nil)
	d.press("enter esc")
	d.pump("the end", func() bool { return d.ended })
}
