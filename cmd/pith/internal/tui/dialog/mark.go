package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A Marking asks which marks of sessions to change.
type Marking struct {
	Keys  *keys.Map
	Ask   func(*Box)
	Names string      // what a line calls the sessions
	First marks.Marks // of the first of them
	// Several means that there are others: tags are added to theirs.
	Several bool
	// Change is called with a word for the change, and the change of marks.
	Change func(did string, change func(marks.Marks) ops.MarkParams) tea.Cmd
}

// Box returns the dialog.
func (m *Marking) Box() *Box {
	pin, archive := "Pin", "Archive"
	if m.First.Pinned {
		pin = "Unpin"
	}
	if m.First.Archived {
		archive = "Unarchive"
	}
	return &Box{Keys: m.Keys, Title: "Mark " + m.Names, Rows: []Row{
		{Text: pin, Keys: []string{"p"}, Do: func() tea.Cmd {
			return m.Change(pin+"ned", func(marks.Marks) ops.MarkParams { return ops.MarkParams{Pinned: new(!m.First.Pinned)} })
		}},
		{Text: archive, Keys: []string{"a"}, Do: func() tea.Cmd {
			return m.Change(archive+"d", func(marks.Marks) ops.MarkParams { return ops.MarkParams{Archived: new(!m.First.Archived)} })
		}},
		{Text: "Tags…", Keys: []string{"t"}, Do: m.askTags},
	}}
}

func (m *Marking) askTags() tea.Cmd {
	box := &Box{Keys: m.Keys, Title: "Tags of " + m.Names, Verb: "save", Typed: m.tag}
	text := strings.Join(m.First.Tags, " ")
	if m.Several {
		text, box.About = "", []string{"-tag removes one"}
	}
	line := input.New(m.Keys, text)
	box.Type = &line
	m.Ask(box)
	return nil
}

// tag sets the typed tags: a single session has exactly these then. Several
// sessions get them. With a minus before any word, the words are changes: they
// are added, and those with the minus removed.
func (m *Marking) tag(text string) tea.Cmd {
	add, remove, err := ops.ParseTags(strings.Fields(strings.ReplaceAll(text, "#", " ")))
	if err != nil {
		return transient.Say(paint.Error, err.Error())
	}
	return m.Change("Tagged", func(of marks.Marks) ops.MarkParams {
		if !m.Several && len(remove) == 0 {
			of.Tags = nil
		}
		of.Tags = slices.Clone(of.Tags)
		ops.Tag(&of, add, remove)
		return ops.MarkParams{Tags: &of.Tags}
	})
}

// Remark returns the change that restores marks.
func Remark(m marks.Marks) ops.MarkParams {
	tags := append([]string{}, m.Tags...)
	return ops.MarkParams{Pinned: &m.Pinned, Archived: &m.Archived, Tags: &tags}
}
