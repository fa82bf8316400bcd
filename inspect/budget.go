package inspect

import (
	"math"
	"slices"

	"github.com/pith-sessions/pith/internal/tokens"
)

// A Level determines how much of a turn is shown if there is not enough
// room for everything.
type Level uint8

// The levels, from everything to one line.
const (
	Whole     Level = iota // as requested
	Shortened              // texts are truncated
	Short                  // texts are truncated to their beginnings
	Ends                   // only the user message and the last response; for the newest
	OneLine                // only the title
	levels
)

// MaxContent returns the maximum length of a text at a level, given the maximum
// without a budget.
func (l Level) MaxContent(asked int) int {
	limit := 0
	switch l {
	case Shortened:
		limit = 600
	case Ends:
		limit = 400
	case Short, OneLine:
		limit = 120
	}
	if asked > 0 && (limit == 0 || asked < limit) {
		return asked
	}
	return limit
}

// share returns the percentage of a budget that may be used at a level. The
// rest is left for older turns, which are shown in less detail.
func (l Level) share() int64 { return [levels]int64{60, 80, 95, 98, 100}[l] }

// A Piece is a rendered turn.
type Piece struct {
	Index int
	Level Level
	Text  string
}

// Tokens estimates the number of tokens of a text.
func Tokens(text string) int64 {
	return (tokens.ByScript([]byte(text)) + 3) / 4
}

// Fit renders turns so that together they take at most that many tokens.
// The newest get room first; older ones are shortened, then reduced to one
// line, then omitted: omitted is their number, from the first on. The newest is
// rendered at the best level that fits the whole budget, including Ends, and in
// one line even if that does not fit.
func Fit(indexes []int, tokens int64, render func(index int, level Level) (string, error)) (pieces []Piece, omitted int, err error) {
	tokens = min(tokens, math.MaxInt64/100) // shares of it are computed
	used := int64(0)
	level := Whole
	for k := len(indexes) - 1; k >= 0; k-- {
		limit := func(l Level) int64 {
			if k == len(indexes)-1 {
				return tokens
			}
			return tokens * l.share() / 100
		}
		fits := false
		for l := level; l < levels && !fits; l++ {
			if l == Ends && k < len(indexes)-1 {
				continue // for old turns, one line each is more informative
			}
			text, err := render(indexes[k], l)
			if err != nil {
				return nil, 0, err
			}
			cost := Tokens(text)
			must := k == len(indexes)-1 && l == OneLine
			if must || used+cost <= limit(l) {
				used += cost
				pieces = append(pieces, Piece{indexes[k], l, text})
				fits = true
			} else if used > limit(l) {
				level = max(level, l+1) // nothing older fits at this level either
			}
		}
		if !fits {
			omitted = k + 1
			break
		}
	}
	slices.Reverse(pieces)
	return pieces, omitted, nil
}
