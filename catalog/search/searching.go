package search

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/sessiondir"
)

// A searching is a search in progress.
type searching struct {
	q          *Query
	o          *Options
	expression string   // the query for the index; "" if the index cannot help
	targets    []target // newest first
	// indexedFiles is the number of files in the index, of which targets may be a part.
	indexedFiles int
	results      Results
	rest         query.Query    // the filters that need more than the entry
	toScan       int64          // bytes to read if not enough hits are found before
	taken        map[string]int // hits by session path, with Options.PerSession

	active  once[map[string]bool]  // ids on the active path
	touched once[map[string]bool]  // ids of tool calls that name the file of the query
	given   once[map[int64]string] // ids of entries that have none in the file
}

// A target is a session that is searched.
type target struct {
	info *catalog.Info
	src  *source // its entries before end are in the index; nil if there are none
	end  int64
}

// find collects the sessions to search.
func (s *searching) find(ctx context.Context, tx *sql.Tx) error {
	infos, err := s.o.sessions(ctx, s.q)
	if err != nil {
		return err
	}
	since, _ := s.q.Filters.Range()
	var have map[string]*source
	if tx != nil {
		if have, err = sources(ctx, tx); err != nil {
			return err
		}
	}
	s.targets, s.indexedFiles = make([]target, 0, len(infos)), len(have)
	for i := range infos {
		info := &infos[i]
		if !s.o.Selects(s.q, info) || !since.IsZero() && info.FileTime.Before(since) && info.Modified.Before(since) {
			continue
		}
		t := target{info: info}
		if src := have[info.Path]; src != nil && src.mark.covers(info) {
			t.src, t.end = src, src.mark.end
		}
		s.results.Unindexed += max(0, info.Size-t.end)
		s.toScan += max(0, info.Size-s.scanFrom(&t))
		s.targets = append(s.targets, t)
	}
	s.results.Sessions = len(s.targets)
	return nil
}

// Selects reports whether a session is searched for a query.
func (o *Options) Selects(q *Query, info *catalog.Info) bool {
	if len(o.Paths) > 0 && !slices.Contains(o.Paths, info.Path) || info.Internal && !o.Catalog.IncludeInternal && !q.Filters.Has("internal") {
		return false
	}
	filters, any := q.Filters.OfSessions()
	if !any {
		return true
	}
	s := o.session(info)
	return filters.MatchSession(&s)
}

// session returns a session as filters see it.
func (o *Options) session(info *catalog.Info) query.Session {
	s := o.plainSession(info)
	if o.Veil != nil {
		s = o.Veil.session(s)
	}
	return s
}

// plainSession is like session, but hides nothing.
func (o *Options) plainSession(info *catalog.Info) query.Session {
	if o.Session == nil {
		return query.Session{Info: info}
	}
	return o.Session(info)
}

// sessions returns the sessions that the options select, and internal ones for a
// query about these.
func (o *Options) sessions(ctx context.Context, q *Query) ([]catalog.Info, error) {
	if o.Sessions != nil {
		return o.Sessions, nil
	}
	list := o.Catalog
	list.Text, list.IncludeInternal = false, list.IncludeInternal || q.Filters.Has("internal")
	if o.Cwd != "" {
		return catalog.Sorted(catalog.List(ctx, o.Cwd, list))
	}
	return catalog.Sorted(catalog.ListAll(ctx, list))
}

// weighs reports whether hits have a score.
func (s *searching) weighs() bool { return s.o.Order == Best }

// scanFrom returns the offset from which a target must be read.
func (s *searching) scanFrom(t *target) int64 {
	if s.expression == "" {
		return 0
	}
	return t.end
}

// hit makes a hit from an entry, if it passes the branch and file filters.
func (s *searching) hit(ctx context.Context, t *target, e *entry, f found, at int64) (Hit, bool) {
	if e.id == "" && t.info.Version < firstWithIDs {
		e.id = s.given.at(t.info.Path, func() map[int64]string { return givenIDs(ctx, t.info.Path) })[at]
	}
	titles := e.typ == format.TypeSession || e.typ == format.TypeTitle // titles belong to the whole session
	if !s.rest.MatchEntry(&seen{
		entry:    e,
		touching: func(part string) map[string]bool { return s.touching(ctx, t, part) },
		active:   func() bool { return titles || s.activePath(ctx, t)[e.id] },
	}) {
		return Hit{}, false
	}
	h := Hit{
		Session: *t.info, EntryID: e.id, Type: e.typ, Role: roleOf(e), Time: e.time, Offset: at, length: e.length, Terms: f.terms, near: f.near,
	}
	if s.weighs() {
		h.Score = scoreOf(f)
		if s.q.Any {
			h.Score = brevity(f)
		}
	}
	if f.field >= 0 && f.field < len(e.fields) {
		x := &e.fields[f.field]
		h.Kind, h.Tool, h.Snippet = x.kind, x.tool, snippetOf(x.text, f.spans)
		if h.Field = f.field; len(f.spans) > 0 {
			h.At = f.spans[0].Start
		}
	}
	return h, true
}

// scanTarget scans the part of a session that is not in the index. It returns
// at most most hits, the last entry first. pi rewrites a file of an old version
// in place: while it is shorter than it was when it was listed, scanTarget waits.
func (s *searching) scanTarget(ctx context.Context, w *scanner, t *target, most int) (hits []Hit, err error) {
	if files := s.q.Filters.Wants("file"); len(files) > 0 && s.q.findsResults() && !slices.ContainsFunc(files, func(part string) bool { return len(s.touching(ctx, t, part)) > 0 }) {
		return nil, ctx.Err()
	}
	least, to := t.info.Size, t.info.Size
	scan := func() error {
		hits, err = s.scanFile(ctx, w, t, least, to, most)
		to = math.MaxInt64 // after a rewrite, to its end
		return err
	}
	if err = sessiondir.Settled(ctx, t.info.Path, scan); errors.Is(err, io.ErrUnexpectedEOF) {
		least = 0 // nobody is writing: it stays this short
		err = scan()
	}
	return hits, err
}

// lastHits are the last of the hits that are added, at most most of them.
type lastHits struct {
	most int
	hits []Hit
}

func (l *lastHits) add(h Hit) {
	if l.hits = append(l.hits, h); len(l.hits)/2 >= l.most {
		l.hits = append(l.hits[:0], l.hits[len(l.hits)-l.most:]...)
	}
}

// all returns the hits, the last one first.
func (l *lastHits) all() []Hit {
	slices.Reverse(l.hits)
	return l.hits[:min(l.most, len(l.hits))]
}

// scanFile scans a file up to an offset or its end. It returns
// io.ErrUnexpectedEOF if the file is smaller than least or becomes shorter.
func (s *searching) scanFile(ctx context.Context, w *scanner, t *target, least, to int64, most int) (hits []Hit, err error) {
	if foreign.Find(t.info.Path) != nil {
		last := lastHits{most: most}
		err := w.stream(ctx, t.info.Path, s.scanFrom(t), to, func(e *entry, f found, at int64) {
			if h, ok := s.hit(ctx, t, e, f, at); ok {
				last.add(h)
			}
		})
		return last.all(), err
	}
	in, err := foreign.Open(ctx, t.info.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	stat, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if stat.Size() < least {
		return nil, io.ErrUnexpectedEOF
	}
	err = w.each(ctx, in, s.scanFrom(t), min(to, stat.Size()), func(e *entry, f found, at int64) bool {
		if h, ok := s.hit(ctx, t, e, f, at); ok {
			hits = append(hits, h)
		}
		return len(hits) < most
	})
	return hits, err
}
