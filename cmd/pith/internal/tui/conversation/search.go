package conversation

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// A search within the session.
type search struct {
	transient.Work
	input  dialog.Input
	typing bool
	word   string // what is looked for; "" when nothing is
	places []Place
	at     int
	busy   bool
	err    error
	aim    *Place // to be shown when it is read
}

type placesFound struct {
	turn   int
	places []Place
	err    error
}

func (s *search) shown() bool { return s.typing || s.word != "" }

func (s *search) clear() {
	s.Cancel()
	*s = search{Work: s.Work}
}

// Searching reports whether letters go to a search.
func (m *Model) Searching() bool { return m.find.typing }

func (m *Model) beginSearch() tea.Cmd {
	m.find.typing = true
	m.find.input.Set("")
	return nil
}

// EndSearch takes the search away. It reports whether there was one.
func (m *Model) EndSearch() bool {
	was := m.find.shown()
	if was {
		m.find.clear()
		m.document.redraw()
	}
	return was
}

func (m *Model) pressSearch(p tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.o.Keys.Is(p, keys.SearchClose):
		m.EndSearch()
		return nil
	case m.o.Keys.Is(p, keys.SelectConfirm):
		m.find.typing = false
		return m.search(strings.TrimSpace(m.find.input.Value()))
	}
	m.find.input.Press(p, m.o.Keys)
	return nil
}

func (m *Model) search(word string) tea.Cmd {
	m.find.Cancel()
	m.find.word, m.find.places, m.find.at, m.find.err = word, nil, -1, nil
	m.document.redraw()
	if word == "" {
		return nil
	}
	ctx, turn := m.find.Begin()
	m.find.busy = true
	source := m.source
	return func() tea.Msg {
		places, err := source.Find(ctx, word)
		return placesFound{turn, places, err}
	}
}

// takePlaces goes to the first place that was found from here on.
func (m *Model) takePlaces(msg placesFound) tea.Cmd {
	if msg.turn != m.find.Turn() {
		return nil
	}
	m.find.busy, m.find.places, m.find.err = false, msg.places, msg.err
	here := 0
	if len(m.document.parts) > 0 {
		here = m.place().part
	}
	m.find.at = slices.IndexFunc(msg.places, func(p Place) bool { return p.Exchange >= here }) - 1
	if m.find.at == -2 {
		m.find.at = -1 // from the beginning again
	}
	return m.step(1)
}

// step goes to the next or the previous place that was found.
func (m *Model) step(by int) tea.Cmd {
	n := len(m.find.places)
	if n == 0 {
		return nil
	}
	m.find.at = ((m.find.at+by)%n + n) % n
	return m.Show(m.find.places[m.find.at])
}

// view is the last line of the screen while something is searched.
func (s *search) view(t *paint.Theme, width int) string {
	if s.typing {
		return s.input.View(t, width, "/")
	}
	state := fmt.Sprintf("%d of %d", s.at+1, len(s.places))
	switch {
	case s.busy:
		state = "searching…"
	case s.err != nil:
		state = s.err.Error()
	case len(s.places) == 0:
		state = "not found"
	}
	return t.Line(width, paint.Span{Tone: paint.Muted, Text: "/"}, paint.Span{Tone: paint.Match, Text: s.word},
		paint.Span{Tone: paint.Muted, Text: "  " + state + " · n next · N previous · esc ends"})
}

// words are those that are looked for, as lines have them.
func (s *search) words() []string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(s.word, `"`, " ")))
	for i, w := range words {
		words[i] = termsafe.Line(w)
	}
	return words
}

// held is how many of the words a drawn line holds.
func held(words []string, line string) (n int) {
	if len(words) == 0 {
		return 0
	}
	text := strings.ToLower(paint.Bare(line))
	for _, w := range words {
		if strings.Contains(text, w) {
			n++
		}
	}
	return n
}
