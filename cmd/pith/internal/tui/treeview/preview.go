package treeview

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// previewFrom is the minimum width of a window with the full entry next to the
// tree.
const previewFrom = 120

// A preview is the selected entry in full.
type preview struct {
	transient.Work
	entry *Entry
	width int // of the pane; 0 if there is no room for one
	lines [][]paint.Span
}

func (m *Model) wantPreview() tea.Cmd {
	p := &m.preview
	n := m.Selected()
	if n == nil || p.width == 0 || p.entry != nil && *p.entry == *n {
		return nil
	}
	p.entry, p.lines = n, nil
	width := p.width
	return p.Start(func(ctx context.Context) transient.Then {
		lines, err := m.source.Preview(ctx, n, width)
		if err != nil {
			lines = [][]paint.Span{{{Tone: paint.Error, Text: err.Error()}}}
		}
		return func() tea.Cmd {
			p.lines = lines
			return nil
		}
	})
}

func (p *preview) resize(width int) {
	if p.width != width {
		p.width, p.entry, p.lines = width, nil, nil
	}
}
