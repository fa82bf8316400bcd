package mcpserver

import (
	"fmt"
	"iter"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/inspect"
)

// An answer collects text within a budget.
type answer struct {
	out    strings.Builder
	budget int64
	used   int64
}

// kept is the number of tokens reserved for the end of an answer.
const kept = 70

func newAnswer(budget int) *answer { return &answer{budget: int64(budget)} }

// head adds a line that every answer of its kind has, even without room.
func (a *answer) head(format string, args ...any) {
	a.force(fmt.Sprintf(format, args...) + "\n")
}

// room returns the number of tokens left, without those reserved for the end.
func (a *answer) room() int64 { return a.budget - a.used - kept }

func (a *answer) force(piece string) {
	a.out.WriteString(piece)
	a.used += inspect.Tokens(piece)
}

// next adds how to get the rest.
func (a *answer) next(cursor, what string) {
	a.force(fmt.Sprintf("next: %q (%s; to continue, repeat the call with this next)\n", cursor, what))
}

func (a *answer) String() string { return a.out.String() }

// characters returns roughly the length of a text of the given number of
// tokens.
func characters(tokens int64) int { return int(max(0, tokens)) * 3 }

// fill adds pieces while they fit, and at least the first, cut if necessary. Each comes
// with the cursor at which an answer can continue with it. fill returns the cursor of the
// first that did not fit; "" if all did.
func (a *answer) fill(pieces iter.Seq2[string, string]) (rest string) {
	var texts []string
	n := present.Budget(max(1, a.room())).Fit("", func(yield func(string) bool) {
		for cursor, text := range pieces {
			rest, texts = cursor, append(texts, text)
			if !yield(text) {
				return
			}
		}
		rest = ""
	})
	for _, text := range texts[:n] {
		a.force(cutToRoom(text, a.room()))
	}
	return rest
}

// list adds numbered pieces from an offset, as many as fit, and how to get the
// others.
func (a *answer) list(offset, total int, more bool, piece func(i int, room int64) string) {
	shown := 0
	rest := a.fill(func(yield func(string, string) bool) {
		for ; shown < total; shown++ {
			if !yield(fmt.Sprint(offset+shown), piece(shown, a.room())) {
				return
			}
		}
	})
	if rest == "" && more {
		rest = fmt.Sprint(offset + total)
	}
	if rest != "" {
		a.next(rest, left(total-shown, more))
	}
}

func left(n int, more bool) string {
	switch {
	case n == 0:
		return "more available"
	case more:
		return fmt.Sprintf("over %d more", n)
	}
	return fmt.Sprintf("%d more", n)
}

// cutToRoom cuts text at the end of a line so that it fits.
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

// quoted marks text as data: each line begins with a bar.
func quoted(text string) string {
	text = strings.Trim(text, "\n")
	return "| " + strings.ReplaceAll(text, "\n", "\n| ") + "\n"
}
