package conversation

import (
	"context"

	"github.com/pith-sessions/pith/inspect"
)

// Source is what the page needs. Its methods are called beside the screen, one
// at a time.
type Source interface {
	// Exchange reads the exchange with an index.
	Exchange(ctx context.Context, i int) (*inspect.Exchange, error)
	// Find are the places at which all words of a search occur, in order.
	Find(ctx context.Context, search string) ([]Place, error)
}

// A Place is an item of an exchange.
type Place struct {
	Exchange int
	EntryID  string // of the item; "" means the first one
}
