package tui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/tests/corpus"
)

// BenchmarkFirstList is the time from nothing to the first sessions on the
// screen, of a thousand; all is the time until the list is complete.
func BenchmarkFirstList(b *testing.B) {
	dir, err := corpus.CachedStore(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	index, err := catalog.OpenIndex(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := index.Close(); err != nil {
			b.Error(err)
		}
	})
	for _, c := range []struct {
		name  string
		index *catalog.Index
		until func(screen string) bool
	}{
		{"index=none", nil, firstRows}, {"index=none/all", nil, wholeList},
		{"index=warm", index, firstRows}, {"index=warm/all", index, wholeList},
	} {
		b.Run(c.name, func(b *testing.B) {
			show := func(until func(string) bool) {
				d := newDesk(b)
				d.vars["PI_SESSIONS_DIR"] = dir
				d.start(func(o *tui.Config) { o.App.Index = func() *catalog.Index { return c.index } })
				d.update(tea.KeyPressMsg{Code: tea.KeyTab}) // all projects
				d.pump("the list", func() bool { return until(d.screen()) })
				d.close()
			}
			if c.index != nil {
				show(wholeList)
			}
			b.ReportAllocs()
			for b.Loop() {
				show(c.until)
			}
		})
	}
}

// firstRows reports whether a session is selected and another one below it.
func firstRows(screen string) bool {
	_, below, ok := strings.Cut(screen, "\n› ")
	return ok && strings.Contains(below, "\n  ")
}

func wholeList(screen string) bool { return strings.Contains(screen, "1 of 1000") }

// BenchmarkFirstTree is the time from nothing to the tree of a session of 100 MB
// with what its rows say, opening included.
func BenchmarkFirstTree(b *testing.B) {
	path, err := corpus.CachedLarge(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	show := func(b *testing.B) {
		b.StopTimer()
		d := newDesk(b)
		b.StartTimer()
		d.start(func(o *tui.Config) {
			o.Open, o.Tree = path, true
			o.Remembered = func(string) (string, bool) { return d.cwd, true } // its project is nowhere
		})
		d.pump("the tree", func() bool {
			_, row, ok := strings.Cut(d.screen(), "\n› ")
			return ok && strings.Contains(row[:min(len(row), 200)], "current")
		})
		b.StopTimer()
		d.close()
		b.StartTimer()
	}
	b.ReportAllocs()
	for b.Loop() {
		show(b)
	}
}
