package mcpserver

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/inspect"
)

// An answer grows piece by piece and never beyond its budget.
type answer struct {
	out    strings.Builder
	budget int64
	used   int64
}

// kept is how many tokens of a budget are kept for what ends an answer.
const kept = 70

func newAnswer(budget int) *answer { return &answer{budget: int64(budget)} }

// head adds a line that every answer of its kind has.
func (a *answer) head(format string, args ...any) {
	a.force(fmt.Sprintf(format, args...) + "\n")
}

// room is how many tokens are left, without what is kept for the end.
func (a *answer) room() int64 { return a.budget - a.used - kept }

// add adds a piece if there is room.
func (a *answer) add(piece string) bool {
	cost := inspect.Tokens(piece)
	if cost > a.room() {
		return false
	}
	a.out.WriteString(piece)
	a.used += cost
	return true
}

func (a *answer) force(piece string) {
	a.out.WriteString(piece)
	a.used += inspect.Tokens(piece)
}

// next says how to get the rest.
func (a *answer) next(cursor, what string) {
	a.force(fmt.Sprintf("next: %q (%s: call again with next)\n", cursor, what))
}

func (a *answer) String() string { return a.out.String() }

// characters is about how long a text may be to take so many tokens.
func characters(tokens int64) int { return int(max(0, tokens)) * 3 }

// list adds numbered pieces from an offset on, as many as there is room for, and
// says how to get the others. The first is told even if it must be cut.
func (a *answer) list(offset, total int, more bool, piece func(i int, room int64) string) {
	told := 0
	for i := range total {
		text := piece(i, a.room())
		if !a.add(text) {
			if told > 0 {
				break
			}
			a.add(cutToRoom(text, a.room()))
		}
		told++
	}
	if told < total || more {
		a.next(fmt.Sprint(offset+told), left(total-told, more))
	}
}

func left(n int, more bool) string {
	switch {
	case n == 0:
		return "there is more"
	case more:
		return fmt.Sprintf("more than %d left", n)
	}
	return fmt.Sprintf("%d left", n)
}

// cutToRoom is a piece cut at the end of a line so that it fits.
func cutToRoom(text string, room int64) string {
	for inspect.Tokens(text) > room {
		if len(text) < 40 {
			return ""
		}
		shorter := text[:len(text)*3/4]
		if i := strings.LastIndexByte(shorter, '\n'); i > 0 {
			shorter = shorter[:i]
		}
		text = strings.ToValidUTF8(shorter, "") + " …\n"
	}
	return text
}
