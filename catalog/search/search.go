package search

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// An Order names a sort order of hits.
type Order string

// The sort orders.
const (
	// Newest sorts the most recently used session first, and within it the last
	// entry first.
	Newest Order = "newest"
	// Best sorts the entry with the highest score first.
	Best Order = "best"
)

// Options configure where and how to search. The zero value searches the
// sessions of all projects without an index.
type Options struct {
	// Catalog selects the sessions.
	Catalog catalog.Options
	// Cwd limits the search to the project at this directory; "" means all
	// projects.
	Cwd string
	// Sessions are the sessions to search, newest first, for a caller that has
	// just listed them; nil means those selected by Catalog and Cwd.
	Sessions []catalog.Info
	// Session returns a session as filters see it, with the user's marks; nil
	// means that there are none. It is called by one goroutine.
	Session func(*catalog.Info) query.Session
	// Paths limits the search to the sessions in these files; empty means all.
	Paths []string
	// Index contains the words of sessions; nil means that all files are read.
	// Parts that it does not contain are read.
	Index *Index
	// Veil hides parts of entries; nil hides nothing.
	Veil *Veil
	// Order defaults to Newest.
	Order Order
	// Limit is the maximum number of hits; 0 means DefaultLimit, or no limit with
	// First.
	Limit int
	// PerSession is the maximum number of hits per session; 0 means no limit.
	// It applies to the order Newest.
	PerSession int
	// First limits the hits of each session to its first one, which has the
	// number of all of them in Matches. It applies to the order Newest. With a
	// Limit, it applies only if the index can count the hits: otherwise the hits
	// are those of a search without First, up to the limit. Sessions after the
	// first Limit then have a hit with Session and Matches alone.
	First bool
	// Progress is called, after the progress of Catalog, while sessions that
	// are not in the index are read, with the number of bytes so far and the
	// total. It is called on the goroutine that searches.
	Progress func(read, total int64)
}

// DefaultLimit is the default for Options.Limit.
const DefaultLimit = 50

// A Hit is an entry that was found.
type Hit struct {
	Session catalog.Info
	// EntryID is the entry's id. In a file of a version without ids it is the
	// id that opening the session assigns.
	EntryID string      `json:"entryId" empty:"null"`
	Type    format.Type `json:"type"`
	// Role is one of query.Roles, or a role of another program.
	Role string `json:"role" empty:"null"`
	// Kind and Tool describe the text that the snippet is from.
	Kind inspect.Part `json:"kind"`
	Tool string       `json:"tool" empty:"null"`
	// Time is the time of the entry, or zero if it has none.
	Time time.Time `json:"time"`
	// Offset is the start of the entry's line in the file.
	Offset  int64
	Snippet Snippet
	// Score is the relevance of the entry in the order Best, and 0 otherwise.
	Score float64 `json:"score"`
	// Terms are the terms that the entry contains, by number, as bits.
	Terms uint64
	// Field is the index of the text of the entry that the snippet is from, and
	// At the offset of the first match in it, in bytes. With a Veil, each
	// visible part of a text counts as one text.
	Field, At int
	// Matches is the number of hits in the session, with Options.First, and 0
	// otherwise.
	Matches int

	near     uint64 // those of Terms that are close together
	length   int    // length of the line
	document int64  // its id in the index; 0 if it was scanned
}

// Text reads the whole text that h's snippet is from, and returns it with the
// offset of the first match. After a search with a Veil, v must hide the same
// parts; its placeholders may differ. Text returns "" if the entry has changed
// since.
func (h *Hit) Text(v *Veil) (text string, at int) {
	in, err := foreign.Open(context.Background(), h.Session.Path)
	if err != nil {
		return "", 0
	}
	defer in.Close() // only read
	var lines jsonl.Lines
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

// Results are the hits of a search and its cost.
type Results struct {
	Hits []Hit
	// More means that there are more hits than the limit.
	More bool
	// Sessions is the number of sessions that were searched.
	Sessions int
	// Scanned is the number of bytes read from files because they are not in an
	// index.
	Scanned int64
	// Unindexed is the number of bytes of these sessions that are not in the
	// index.
	Unindexed int64
	// Rarity is the weight of each term, for a query with Any: the rarer, the
	// higher.
	Rarity []float64
}

// Search finds the entries that match a query. The result does not depend on
// the index. Files that cannot be read are skipped and reported to
// Options.Catalog.Skipped. The error is that of ctx or of a list.
func Search(ctx context.Context, q Query, o Options) (Results, error) {
	if o.Limit <= 0 && !o.First {
		o.Limit = DefaultLimit
	}
	if o.Index != nil {
		infos, err := o.sessions(ctx, &q)
		if err != nil {
			return Results{}, err
		}
		o.Sessions = infos
		var r Results
		err = o.Index.db.Read(ctx, func(tx *sql.Tx) (err error) {
			r, err = search(ctx, &q, &o, tx)
			return err
		})
		if err == nil || ctx.Err() != nil {
			return r, err
		}
	}
	return search(ctx, &q, &o, nil) // whatever is wrong with the index, the search works without it
}

func newSearching(q *Query, o *Options) *searching {
	s := &searching{q: q, o: o, taken: map[string]int{}, expression: q.expression(), rest: q.Filters.Only("branch")}
	if q.findsResults() {
		s.rest = q.Filters.Only("file", "branch")
	}
	return s
}

// search searches with the index as it is in a transaction, which may be nil.
func search(ctx context.Context, q *Query, o *Options, tx *sql.Tx) (Results, error) {
	s := newSearching(q, o)
	if err := s.find(ctx, tx); err != nil {
		return Results{}, err
	}
	var err error
	if o.Order == Best {
		err = s.best(ctx, tx)
	} else if o.First && (o.Limit <= 0 || s.counts(tx)) {
		err = s.first(ctx, tx)
	} else {
		err = s.newest(ctx, tx)
	}
	return s.results, cmp.Or(err, ctx.Err())
}
