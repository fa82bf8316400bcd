package lookup

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// Indexes are the places with the indexes over their sessions.
type Indexes struct {
	*Places
	cache cache
}

// Listing are the options of every look into the catalog.
func (a *Indexes) Listing() catalog.Options {
	o := a.places()
	o.Index, o.Sources = a.SessionIndex(), a.Sources
	return o
}

// places say where sessions are. The index stays closed.
func (a *Indexes) places() catalog.Options {
	return catalog.Options{Dir: a.SessionDir, Getenv: a.Env.Getenv, Home: a.Env.Home()}
}

// Engine are the options with which every session is opened or made.
func (a *Indexes) Engine() pith.Options {
	return pith.Options{Dir: a.SessionDir, Now: a.Env.Now, Tables: a.Tables(), Force: a.Force, ReadOnly: a.mirror != ""}
}

// A cache holds the indexes for one run. Each is opened when it is first needed.
type cache struct {
	tried bool
	index *catalog.Index

	triedWords bool
	words      *search.Index
}

// SessionIndex is the index of the user's sessions; nil where there can be none.
// Everything works without it, only slower, so that is not told.
func (a *Indexes) SessionIndex() *catalog.Index {
	if a.cache.tried {
		return a.cache.index
	}
	a.cache.tried = true
	a.cache.index = openIn(a.CacheDir(), catalog.OpenIndex)
	return a.cache.index
}

// openIn opens an index in a folder; nil where that cannot be, or for no folder.
func openIn[T any](dir string, open func(dir string) (*T, error)) *T {
	if dir == "" {
		return nil
	}
	index, err := open(dir)
	if err != nil {
		return nil
	}
	return index
}

// UseWords takes an index of words that was opened; it is closed with the others.
func (a *Indexes) UseWords(words *search.Index) { a.cache.triedWords, a.cache.words = true, words }

// WordIndex is the index of what stands in sessions; nil where there can be none.
func (a *Indexes) WordIndex() *search.Index {
	if a.cache.triedWords {
		return a.cache.words
	}
	a.cache.triedWords = true
	a.cache.words = openIn(a.CacheDir(), search.OpenIndex)
	return a.cache.words
}

// Tables is the folder that keeps where the entries of large sessions are; "" where
// there is none for it.
func (a *Indexes) Tables() string {
	dir := a.CacheDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, TablesFolder)
}

const (
	TablesFolder = "tables"
	// tablesKept is how long a table is kept that nobody uses.
	TablesKept = 60 * 24 * time.Hour
)

// CloseCache ends the use of the indexes and tells what is to be told of them.
func (a *Indexes) CloseCache() {
	c := a.cache
	a.cache = cache{tried: true, triedWords: true}
	if c.index != nil {
		a.noteIndex(c.index.Notice())
		_ = c.index.Close() // it can be made again
	}
	if c.words != nil {
		a.noteIndex(c.words.Notice())
		_ = c.words.Close()
	}
}

func (a *Indexes) noteIndex(notice string) {
	if notice != "" {
		a.Note("note: %s", notice)
	}
}

// spareTime is how long a command may go on with the index of words after its
// result was printed.
const spareTime = 200 * time.Millisecond

// FillWords goes on with the index of words for a moment, when the result is
// printed. What goes wrong is not told: nothing depends on it.
func (a *Indexes) FillWords(ctx context.Context, words *search.Index) {
	if words == nil || a.Out.Flush() != nil {
		return
	}
	_ = words.Fill(ctx, search.Build{Catalog: a.Listing(), Within: spareTime})
}

// FillSpare goes on with the index of words while a person reads the result, if
// somebody began it: a script would only wait.
func (a *Indexes) FillSpare(ctx context.Context) {
	if !a.Out.Terminal || a.CacheDir() == "" {
		return
	}
	if _, err := os.Stat(search.IndexFiles(a.CacheDir())[0]); err == nil {
		a.FillWords(ctx, a.WordIndex())
	}
}
