package lookup

import (
	"context"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// Indexes adds the indexes of sessions to Places.
type Indexes struct {
	*Places
	sessions lazy[catalog.Index]
	words    lazy[search.Index]
}

// Listing returns the options for every use of the catalog.
func (a *Indexes) Listing() catalog.Options {
	o := a.places()
	o.Index, o.Sources = a.SessionIndex(), a.Sources
	return o
}

// places returns the options that locate sessions. It does not open the index.
func (a *Indexes) places() catalog.Options {
	return catalog.Options{Dir: a.SessionDir, Getenv: a.Env.Getenv, Home: a.Env.Home()}
}

// Engine returns the options to open or create every session with.
func (a *Indexes) Engine() pith.Options {
	return pith.Options{Dir: a.SessionDir, Now: a.Env.Now, Force: a.Force}
}

// A lazy index is opened when it is first needed.
type lazy[T any] struct {
	tried bool
	index *T // nil if it is not open
}

// indexOf returns an index, which the first call opens, or nil if it cannot be
// opened.
func indexOf[T any](a *Indexes, of *lazy[T], open func(dir string) (*T, error)) *T {
	if of.tried {
		return of.index
	}
	of.tried = true
	if dir := a.CacheDir(); dir != "" {
		if index, err := open(dir); err == nil {
			of.index = index
		}
	}
	return of.index
}

// SessionIndex returns the index of the user's sessions, or nil if it cannot be
// opened. Everything works without it, only slower, so there is no warning.
func (a *Indexes) SessionIndex() *catalog.Index {
	return indexOf(a, &a.sessions, catalog.OpenIndex)
}

// WordIndex returns the index of the words in sessions, or nil if it cannot be
// opened.
func (a *Indexes) WordIndex() *search.Index {
	return indexOf(a, &a.words, search.OpenIndex)
}

// CloseCache closes the indexes and prints their notices.
func (a *Indexes) CloseCache() {
	sessions, words := a.sessions.index, a.words.index
	a.sessions, a.words = lazy[catalog.Index]{tried: true}, lazy[search.Index]{tried: true}
	if sessions != nil {
		a.noteIndex(sessions.Notice())
		_ = sessions.Close() // it can be made again
	}
	if words != nil {
		a.noteIndex(words.Notice())
		_ = words.Close()
	}
}

func (a *Indexes) noteIndex(notice string) {
	if notice != "" {
		a.Note("note: %s", notice)
	}
}

// spareTime is how long a command may build the word index after printing its
// result.
const spareTime = 200 * time.Millisecond

// FillWords builds the word index for a moment after the result is printed. It
// ignores errors, since nothing depends on it.
func (a *Indexes) FillWords(ctx context.Context, words *search.Index) {
	if words == nil || a.Out.Flush() != nil {
		return
	}
	_ = words.Fill(ctx, search.Build{Catalog: a.Listing(), Within: spareTime})
}

// FillSpare continues to build an existing word index while a person reads the
// result. It does nothing for a script, which would only wait.
func (a *Indexes) FillSpare(ctx context.Context) {
	if !a.Out.Terminal || a.CacheDir() == "" {
		return
	}
	if words := a.WordIndex(); words != nil && words.Started(ctx) {
		a.FillWords(ctx, words)
	}
}
