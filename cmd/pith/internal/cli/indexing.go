package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/cache/tables"
)

// A cache holds the indexes for one run. Each is opened when it is first needed.
type cache struct {
	tried bool
	index *catalog.Index

	triedWords bool
	words      *search.Index
}

// sessionIndex is the index of the user's sessions; nil where there can be none.
// Everything works without it, only slower, so that is not told.
func (a *app) sessionIndex() *catalog.Index {
	if a.cache.tried {
		return a.cache.index
	}
	a.cache.tried = true
	dir := a.cacheDir()
	if dir == "" {
		return nil
	}
	index, err := catalog.OpenIndex(dir)
	if err != nil {
		return nil
	}
	a.cache.index = index
	return index
}

// wordIndex is the index of what stands in sessions; nil where there can be none.
func (a *app) wordIndex() *search.Index {
	if a.cache.triedWords {
		return a.cache.words
	}
	a.cache.triedWords = true
	dir := a.cacheDir()
	if dir == "" {
		return nil
	}
	index, err := search.OpenIndex(dir)
	if err != nil {
		return nil
	}
	a.cache.words = index
	return index
}

// cacheDir is the folder of pith's caches; "" when the environment names none. A
// home folder that only the system knows of is not taken: who runs a command
// without one wants nothing to be left behind.
func (a *app) cacheDir() string {
	if a.env.home() == "" && a.env.Getenv("PITH_CACHE_DIR") == "" && a.env.Getenv("XDG_CACHE_HOME") == "" {
		return ""
	}
	return catalog.CacheDir(catalog.Options{Getenv: a.env.Getenv, Home: a.env.home()})
}

// tables keeps where the entries of large sessions are; nil where there is no
// folder for it.
func (a *app) tables() pith.TableStore {
	dir := a.cacheDir()
	if dir == "" {
		return nil
	}
	return tables.New(filepath.Join(dir, tablesFolder))
}

const (
	tablesFolder = "tables"
	// tablesKept is how long a table is kept that nobody uses.
	tablesKept = 60 * 24 * time.Hour
)

// closeCache ends the use of the indexes and tells what is to be told of them.
func (a *app) closeCache() {
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

func (a *app) noteIndex(notice string) {
	if notice != "" {
		a.note("note: %s", notice)
	}
}

// spareTime is how long a command may go on with the index of words after its
// result was printed.
const spareTime = 200 * time.Millisecond

// fillWords goes on with the index of words for a moment, when the result is
// printed. What goes wrong is not told: nothing depends on it.
func (a *app) fillWords(ctx context.Context, words *search.Index) {
	if words == nil || a.out.flush() != nil {
		return
	}
	_ = words.Fill(ctx, search.Build{Catalog: a.listing(), Within: spareTime})
}

// fillSpare goes on with the index of words while a person reads the result, if
// somebody began it: a script would only wait.
func (a *app) fillSpare(ctx context.Context) {
	if !a.out.terminal || a.cacheDir() == "" {
		return
	}
	if _, err := os.Stat(search.IndexFiles(a.cacheDir())[0]); err == nil {
		a.fillWords(ctx, a.wordIndex())
	}
}

// errNoCache is the error of a command that needs a folder for the indexes.
var errNoCache = errors.New("there is no folder for the index: set HOME, XDG_CACHE_HOME or PITH_CACHE_DIR")
