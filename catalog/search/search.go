package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
)

// An Order is how hits are sorted.
type Order string

// The orders.
const (
	// Newest: the session that was used last first, in it the last entry first.
	Newest Order = "newest"
	// Best: the entry that is most about the terms first.
	Best Order = "best"
)

// Options say where and how to search. The zero value searches the sessions of
// all projects, without an index.
type Options struct {
	// Catalog says where the sessions are.
	Catalog catalog.Options
	// Cwd limits the search to the project there; "" means all projects.
	Cwd string
	// Sessions are those that are searched, newest first, for a caller who has just
	// listed them; nil means those that Catalog and Cwd lead to.
	Sessions []catalog.Info
	// Within limits the search to the projects at working directories for which it
	// is true; nil means all. It is called by one goroutine.
	Within func(cwd string) bool
	// Paths limits the search to the sessions in these files; none means all.
	Paths []string
	// Index has the words of sessions; nil means that all files are read. What it
	// does not have is read.
	Index *Index
	// Tables is a folder that makes it cheaper to follow the branches of large
	// sessions; see pith.Options.
	Tables string
	// Veil hides parts of entries; nil means that all can be found.
	Veil *Veil
	// Order is Newest unless it is set.
	Order Order
	// Limit is how many hits are wanted; 0 means DefaultLimit.
	Limit int
	// PerSession is how many hits of one session are wanted; 0 means all. It counts
	// in the order Newest.
	PerSession int
	// Progress is called after those of Catalog, as sessions are read that the index does not have, with the
	// bytes so far and those of all of them, from the goroutine that searches.
	Progress func(read, total int64)
}

// DefaultLimit is how many hits there are unless told otherwise.
const DefaultLimit = 50

// A Hit is an entry that was found.
type Hit struct {
	Session catalog.Info
	// EntryID is the entry's id. In a file of a version without ids it is the one
	// that reading the session gives.
	EntryID string
	Type    format.Type
	// Role is one of Roles, or one of another program.
	Role string
	// Kind and Tool say what the snippet is a part of.
	Kind Kind
	Tool string
	// Time is when the entry was made; zero if it does not say.
	Time time.Time
	// Offset is where the entry's line begins in the file.
	Offset  int64
	Snippet Snippet
	// Score is how much the entry is about the terms, in the order Best; 0 otherwise.
	Score float64
	// Terms are those that the entry holds, by their number, as bits.
	Terms uint64
	// Field says which of the entry's texts the snippet is a part of, and At where
	// the first match is in it, in bytes. With a Veil, each visible part of a text
	// counts as one.
	Field, At int

	near   uint64 // of Terms, those that stand together
	length int    // of the line
}

// Text reads the whole text that h's snippet is a part of, and where the first match
// stands in it. After a search with a Veil, v must hide the same parts as that one; its
// placeholders may differ. Text returns "" if the entry has changed since.
func (h *Hit) Text(v *Veil) (text string, at int) {
	in, err := os.Open(h.Session.Path)
	if err != nil {
		return "", 0
	}
	defer in.Close() // it was only read
	var lines envelope.Lines
	var e entry
	line, err := lines.At(context.Background(), in, h.Offset, int64(h.length))
	if line = bytes.TrimRight(line, "\n"); err != nil || !e.read(line) || e.id != "" && e.id != h.EntryID {
		return "", 0
	}
	if v != nil {
		text, at = v.text(&e, line, h.Field)
	} else if h.Field < len(e.fields) {
		text = e.fields[h.Field].text
	}
	return text, min(at+h.At, len(text))
}

// Results are what a search found, and what it cost.
type Results struct {
	Hits []Hit
	// More says that there are more hits than the limit.
	More bool
	// Sessions is how many sessions were searched.
	Sessions int
	// Scanned is how many bytes of files were read because no index had them.
	Scanned int64
	// Unindexed is how many bytes of these sessions are not in the index.
	Unindexed int64
	// Rarity is how much each term tells, for a query with Any: the rarer the more.
	Rarity []float64
}

// Search finds the entries that a query looks for. What it finds does not depend
// on the index. Files that cannot be read are passed over and told to
// Options.Catalog.Skipped. The error is that of the context, of a list, or
// matches ErrQuery.
func Search(ctx context.Context, q Query, o Options) (Results, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	for range mostTries {
		r, err := search(ctx, &q, &o)
		if err == nil || ctx.Err() != nil || o.Index == nil {
			return r, err
		}
		if err != errRemoved {
			o.Index.heal(err)
			break
		}
	}
	o.Index = nil // whatever is wrong with it, there is an answer without
	return search(ctx, &q, &o)
}

// mostTries is how often a search begins anew because another process removed
// documents meanwhile, before it reads the files.
const mostTries = 3

// errRemoved means that another process removed documents from the index while
// it was asked.
var errRemoved = errors.New("documents were removed from the index")

func search(ctx context.Context, q *Query, o *Options) (Results, error) {
	s := &searching{q: q, o: o}
	if err := s.find(ctx); err != nil {
		return Results{}, err
	}
	defer s.lines.close()
	var err error
	if o.Order == Best && q.Any {
		err = s.any(ctx)
	} else if o.Order == Best {
		err = s.best(ctx)
	} else {
		err = s.newest(ctx)
	}
	if err = cmp.Or(err, s.failed, ctx.Err()); err == nil && s.have != nil && !o.Index.holds(ctx, s.have) {
		err = errRemoved
	}
	return s.results, err
}
