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

// Indexes adds the indexes of sessions to Places.
type Indexes struct {
	*Places
	cache cache
	idle  bool // no files are read, so the indexes stay closed
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
	return pith.Options{Dir: a.SessionDir, Now: a.Env.Now, OffsetCache: a.OffsetCache(), Force: a.Force, ReadOnly: a.mirror != ""}
}

// A cache holds the indexes for one run. Each is opened when it is first needed.
type cache struct {
	tried bool
	index *catalog.Index

	triedWords bool
	words      *search.Index
}

// SessionIndex returns the index of the user's sessions, or nil if it cannot be
// opened. Everything works without it, only slower, so there is no warning.
func (a *Indexes) SessionIndex() *catalog.Index {
	if a.idle || a.cache.tried {
		return a.cache.index
	}
	a.cache.tried = true
	a.cache.index = openIn(a.CacheDir(), catalog.OpenIndex)
	return a.cache.index
}

// openIn opens an index in a directory. It returns nil on an error or if dir is
// empty.
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

// UseWords sets an open word index. CloseCache closes it with the others.
func (a *Indexes) UseWords(words *search.Index) { a.cache.triedWords, a.cache.words = true, words }

// WordIndex returns the index of the words in sessions, or nil if it cannot be
// opened.
func (a *Indexes) WordIndex() *search.Index {
	if a.idle || a.cache.triedWords {
		return a.cache.words
	}
	a.cache.triedWords = true
	a.cache.words = openIn(a.CacheDir(), search.OpenIndex)
	return a.cache.words
}

// OffsetCache returns the directory of the offset caches of large sessions; "" if
// there is none.
func (a *Indexes) OffsetCache() string {
	dir := a.CacheDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, TablesFolder)
}

const (
	TablesFolder = "tables"
	// TablesKept is how long an unused offset cache is kept.
	TablesKept = 60 * 24 * time.Hour
)

// CloseCache closes the indexes and prints their notices.
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
	if _, err := os.Stat(search.IndexFiles(a.CacheDir())[0]); err == nil {
		a.FillWords(ctx, a.WordIndex())
	}
}
