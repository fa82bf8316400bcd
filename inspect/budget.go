package inspect

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Level says how much of an exchange a rendering tells when there is not room
// for everything.
type Level uint8

// The levels, from all to one line.
const (
	Whole     Level = iota // as asked for
	Shortened              // texts are cut
	Short                  // texts are cut to their beginnings
	Ends                   // the user's message and the last answer alone; for the newest
	OneLine                // the title alone
	levels
)

// MaxContent is how long a text may be at a level, given how long it may be
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

// share is the part of a budget, in percent, that may be used up when a level is
// given: what is left is kept for older exchanges, which are shown in less detail.
func (l Level) share() int64 { return [levels]int64{60, 80, 95, 98, 100}[l] }

// A Piece is an exchange as it was rendered.
type Piece struct {
	Index int
	Level Level
	Text  string
}

// Tokens estimates how many tokens a model takes for a text.
func Tokens(text string) int64 {
	message := append([]byte(`{"role":"user","content":`), jsonl.AppendString(nil, text)...)
	return compact.ByScript.RawTokens(json.RawMessage(append(message, '}')))
}

// Fit renders exchanges so that all of them take at most that many tokens. The
// newest get room first; older ones are shortened, then told in one line, then
// left out: omitted says how many, from the first on. The newest is told on the
// best level that fits the whole budget, its ends among them, and in one line even
// if that does not.
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
				continue // one line each tells more of what is old
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
				level = max(level, l+1) // nothing older can have it either
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
