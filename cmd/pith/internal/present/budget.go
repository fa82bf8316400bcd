// Package present renders the results of use cases: it fits them into a budget of
// tokens, and encodes them as JSON.
package present

import (
	"iter"

	"github.com/pith-sessions/pith/inspect"
)

// A Budget is a number of tokens. Zero and less mean no limit.
type Budget int64

// Fit returns how many pieces fit below a frame, which is always there: at least one, if
// there are any. It takes pieces until one does not fit.
func (b Budget) Fit(frame string, pieces iter.Seq[string]) int {
	used, n := inspect.Tokens(frame), 0
	for piece := range pieces {
		if used += inspect.Tokens(piece); b > 0 && used > int64(b) && n > 0 {
			break
		}
		n++
	}
	return n
}

// Each returns n pieces.
func Each(n int, piece func(i int) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < n && yield(piece(i)); i++ {
		}
	}
}
