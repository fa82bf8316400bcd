package conversation

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/inspect"
)

// A search within the session stops at each occurrence of a word. The matches
// of a turn are found when the turn is shown; those of all turns are counted in
// the background.
type search struct {
	transient.Work
	input  input.Line
	typing bool
	text   string // "" if there is no search
	terms  []*regexp.Regexp
	given  bool  // it was made before the session was opened: Esc leaves the session
	turns  []int // those that contain all words
	at     int   // the shown turn, in turns
	counts []int // matches of each turn; nil until they are counted
	busy   bool
	err    error
	aim    *aim // to be shown once it is read

	matches []match // of the shown turn
	match   int     // the current one
}

// A match is an occurrence of a word on a drawn line.
type match struct {
	spot
	number int // among those of its line, from 0
}

// An aim is an item, or a match in a turn, to be shown once it is read.
type aim struct {
	Place
	match matchChoice
	fork  bool // the fork at the entry
}

// A matchChoice selects the match of a turn to show.
type matchChoice uint8

const (
	matchNone  matchChoice = iota // the item itself
	matchFirst                    // of the item with the entry, or of the turn
	matchLast
	matchFromHere // the first from the selected item on
)

func (s *search) clear() {
	s.Cancel()
	*s = search{Work: s.Work}
}

// A finder searches the session of a screen.
type finder struct{ *Model }

// Searching reports whether letters are passed to a search.
func (m *Model) Searching() bool { return m.find.typing }

// Typed returns what is typed in a search.
func (m *Model) Typed() string { return m.find.input.Value() }

func (m finder) beginSearch() tea.Cmd {
	m.find.typing = true
	m.find.input = input.New(m.o.Keys, "")
	return nil
}

// EndSearch closes the search, and reports whether there was one. One that was made before
// the session was opened stays.
func (m *Model) EndSearch() bool {
	was := m.EndsSearch()
	if was {
		m.find.clear()
	}
	return was
}

func (m finder) pressSearch(p tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.o.Keys.Is(p, keys.SelectCancel), m.o.Keys.Is(p, keys.Clear):
		m.EndSearch()
		return nil
	case m.o.Keys.Is(p, keys.SelectConfirm):
		return m.search(strings.TrimSpace(m.find.input.Value()), nil)
	}
	m.find.input.Press(p)
	return nil
}

// Search searches for text and shows its first match from an item on. With a
// nil start it shows no match until the user goes to the next one.
func (m *Model) Search(text string, start *Place) tea.Cmd {
	if start == nil {
		start = &Place{Turn: -1}
	}
	show, search := m.Show(*start), finder{m}.search(text, start)
	m.find.given = true
	return tea.Sequence(show, search)
}

func (m finder) search(text string, start *Place) tea.Cmd {
	aim := m.find.aim
	m.find.clear()
	m.find.text, m.find.terms, m.find.aim = text, paint.Terms(words(text)), aim
	if text == "" {
		return nil
	}
	m.find.busy = true
	source := m.source
	return m.find.Start(func(ctx context.Context) transient.Then {
		places, err := source.Find(ctx, text)
		return func() tea.Cmd {
			m.find.busy, m.find.err = false, err
			return m.takeTurns(places, start)
		}
	})
}

// takeTurns shows the first match from start on, or from here on if it is nil,
// and counts all of them.
func (m finder) takeTurns(places []Place, start *Place) tea.Cmd {
	for _, p := range places {
		m.find.turns = append(m.find.turns, p.Turn)
	}
	m.find.turns = slices.Compact(m.find.turns)
	if len(m.find.turns) == 0 {
		return nil
	}
	if start != nil && start.Turn < 0 {
		m.find.at = len(m.find.turns) - 1 // the next match is the first
		return m.count()
	}
	from, choice := Place{}, matchFromHere
	if start != nil {
		from, choice = *start, matchFirst
	} else if at, ok := m.current(); ok {
		from.Turn = at.part
	}
	at, here := slices.BinarySearch(m.find.turns, from.Turn)
	if !here {
		from.EntryID, choice = "", matchFirst
	}
	m.find.at = at % len(m.find.turns) // after the last turn comes the first
	from.Turn = m.find.turns[m.find.at]
	return tea.Batch(m.show(aim{Place: from, match: choice}), m.count())
}

// count counts the matches of all turns.
func (m finder) count() tea.Cmd {
	source, turns, terms, r := m.source, m.find.turns, m.find.terms, m.document.drawer()
	return m.find.Join(func(ctx context.Context) transient.Then {
		counts := make([]int, len(turns))
		for i, at := range turns {
			x, err := source.Turn(ctx, at)
			if err != nil || ctx.Err() != nil {
				return nil
			}
			counts[i] = max(1, len(r.matches(x, at, terms)))
		}
		return func() tea.Cmd {
			m.find.counts = counts
			return nil
		}
	})
}

// settleMatch shows a match of a turn that is read.
func (m finder) settleMatch(a *aim) tea.Cmd {
	s := &m.find
	from := m.cursor
	s.matches, s.match = m.document.drawer().matches(m.document.part(a.Turn).exchange, a.Turn, s.terms), 0
	switch a.match {
	case matchLast:
		s.match = max(0, len(s.matches)-1)
	case matchFirst:
		if it, ok := m.document.find(a.Place); ok {
			s.match = max(0, slices.IndexFunc(s.matches, func(h match) bool { return h.item == it }))
		}
	case matchFromHere:
		s.match = slices.IndexFunc(s.matches, func(h match) bool { return !h.item.before(from) })
		if s.match < 0 {
			s.match = max(0, len(s.matches)-1)
			return m.step(1)
		}
	}
	if len(s.matches) > 0 {
		mover(m).bring(s.matches[s.match].spot)
	}
	return nil
}

// findAgain finds the matches of the shown turn after its lines changed.
func (m finder) findAgain() {
	s := &m.find
	if len(s.matches) == 0 || s.matches[0].part >= m.document.size {
		return
	}
	if part := s.matches[0].part; m.document.part(part).exchange != nil {
		s.matches = m.document.drawer().matches(m.document.part(part).exchange, part, s.terms)
		s.match = max(0, min(s.match, len(s.matches)-1))
	}
}

// step goes to the next or the previous match; after the last comes the first.
func (m finder) step(by int) tea.Cmd {
	s := &m.find
	n := len(s.turns)
	if n == 0 {
		return nil
	}
	if to := s.match + by; to >= 0 && to < len(s.matches) {
		s.match = to
		m.follow = false
		mover(m).bring(s.matches[to].spot)
		return m.want()
	}
	s.at = ((s.at+by)%n + n) % n
	choice := matchFirst
	if by < 0 {
		choice = matchLast
	}
	return m.show(aim{Place: Place{Turn: s.turns[s.at]}, match: choice})
}

// currentOn returns the number of the current match on a line, or -1.
func (s *search) currentOn(at spot) int {
	if s.match < len(s.matches) && s.matches[s.match].spot == at {
		return s.matches[s.match].number
	}
	return -1
}

// A drawer finds matches on drawn lines. It is safe for concurrent use.
type drawer struct {
	blocks.Renderer
	forks blocks.Forks
}

func (d *document) drawer() drawer { return drawer{d.renderer, d.forks} }

// matches returns the occurrences of a word in a turn as it looks unfolded.
// With several words, each line is one match, and if some blocks contain all
// words, the others do not count.
func (r drawer) matches(x *inspect.Turn, part int, terms []*regexp.Regexp) []match {
	r.Whole = true
	var all, some []match
	list := blocks.Of(x, r.forks)
	for i := range list {
		var found []match
		seen := make([]bool, len(terms))
		switch list[i].Kind {
		case blocks.Model, blocks.Run, blocks.Branches:
			continue
		}
		for k, line := range r.Draw(&list[i], true) {
			bare := paint.Bare(line)
			for n, at := range paint.Occurrences(bare, terms) {
				if n == 0 || len(terms) == 1 {
					found = append(found, match{spot{item{part, i}, k}, n})
				}
				for j, t := range terms {
					seen[j] = seen[j] || t.MatchString(bare[at[0]:at[1]])
				}
			}
		}
		some = append(some, found...)
		if !slices.Contains(seen, false) {
			all = append(all, found...)
		}
	}
	if len(all) > 0 {
		return all
	}
	return some
}

// SearchLine returns the search and its state for the status line; ok is false if there
// is none.
func (m *Model) SearchLine(t *paint.Theme, width int) (line string, state string, ok bool) {
	s := &m.find
	switch {
	case s.typing:
		return s.input.View(t, width, "  /", true), "", true
	case s.text != "":
		return t.Line(width, paint.Span{Tone: paint.Dim, Text: "  /"}, paint.Span{Tone: paint.Match, Text: s.text}), s.state(), true
	}
	return "", "", false
}

func (s *search) state() string {
	switch {
	case s.busy:
		return "searching…"
	case s.err != nil:
		return s.err.Error()
	case len(s.turns) == 0:
		return "not found"
	case s.counts == nil:
		return "counting…"
	}
	before, total := 0, 0
	for i, n := range s.counts {
		if i < s.at {
			before += n
		}
		total += n
	}
	if len(s.matches) == 0 {
		return fmt.Sprintf("%d found", total)
	}
	return fmt.Sprintf("%d of %d", before+s.match+1, total)
}

// words returns the words and quoted phrases of a search, as lines show them.
func words(text string) []string {
	var words []string
	for i, part := range strings.Split(strings.ToLower(text), `"`) {
		if i%2 == 1 {
			words = append(words, termsafe.Line(strings.TrimSpace(part)))
			continue
		}
		for _, w := range strings.Fields(part) {
			words = append(words, termsafe.Line(w))
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}
