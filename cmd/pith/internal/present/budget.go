// Package present renders the results of use cases: it fits them into a budget of
// tokens, and encodes them as JSON.
package present

import "github.com/pith-sessions/pith/inspect"

// A Budget is a number of tokens. Zero and less mean no limit.
type Budget int64

// Fit returns how many of n pieces fit below a frame, which is always there: at least
// one, if there are any. piece returns the text of a piece, and is called once for each
// until one does not fit.
func (b Budget) Fit(frame string, n int, piece func(i int) string) int {
	if b <= 0 {
		return n
	}
	used := inspect.Tokens(frame)
	for i := range n {
		if used += inspect.Tokens(piece(i)); used > int64(b) && i > 0 {
			return i
		}
	}
	return n
}
