package recall

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/inspect"
)

// A Touch is a turn in which tools were called with a file.
type Touch struct {
	Session catalog.Info
	// EntryID is the entry of the last of these calls, Time its time.
	EntryID string    `json:"entryId"`
	Time    time.Time `json:"time"`
	// File is the file as the last call named it.
	File string `json:"file"`
	// Changed and Read are the numbers of calls that changed and read it,
	// Failed the number of those that failed.
	Changed int `json:"changed"`
	Read    int `json:"read"`
	Failed  int `json:"failed"`
	Turn    `json:"-"`
	Copies  []string
}

// Touches are the turns that touched a file.
type Touches struct {
	List []Touch // newest first
	// More means that there are older ones.
	More bool
	// Sessions is the number of sessions that were searched, Unindexed the
	// number of their bytes that are not in the index.
	Sessions  int
	Unindexed int64
}

// lookedAt is the number of calls that are grouped into turns.
const lookedAt = 400

// Touched finds the turns in which tools were called with a file, newest
// first. file is a path or the end of one; a file below cwd is also searched by
// its relative path. Options.Entries is ignored.
func Touched(ctx context.Context, file, cwd string, o Options) (Touches, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	part := partOf(file, cwd)
	q := callsOf(part)
	if err := o.list(ctx); err != nil {
		return Touches{}, err
	}
	o.Search.Order, o.Search.Limit = search.Newest, lookedAt
	found, err := search.Search(ctx, q, o.Search)
	if err != nil {
		return Touches{}, err
	}
	t := Touches{Sessions: found.Sessions, Unindexed: found.Unindexed, More: found.More}
	open := newShelf(o.Search)
	defer open.close()
	hits := slices.DeleteFunc(found.Hits, func(h search.Hit) bool { return h.EntryID == "" || slices.Contains(o.Except, h.Session.ID) })
	f := o.families()
	open.several(ctx, hits, len(hits), f.first)
	t.List = open.touches(hits, part, f)
	slices.SortStableFunc(t.List, func(a, b Touch) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Session.Path, b.Session.Path))
	})
	t.List = t.List[min(o.Offset, len(t.List)):]
	if len(t.List) > o.Limit {
		t.List, t.More = t.List[:o.Limit], true
	}
	path := func(i int) string { return t.List[i].Session.Path }
	open.each(ctx, len(t.List), path, func(v *volume, i int) { v.complete(&t.List[i], part, o.Search.Veil) })
	return t, ctx.Err()
}

// partOf returns the part of the path that all calls that name the file
// contain: below cwd the relative path, because some programs record that and
// others the full path.
func partOf(path, cwd string) string {
	path = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(path)), "./")
	if cwd != "" {
		if rel, ok := strings.CutPrefix(path, strings.TrimSuffix(filepath.ToSlash(cwd), "/")+"/"); ok {
			return rel
		}
	}
	return path
}

// callsOf returns the query for tool calls with part in a path: with its words,
// if it has any, because an index contains them.
func callsOf(part string) search.Query {
	q, _ := query.Parse(query.Quote("file", part)+" role:assistant "+`"`+strings.ReplaceAll(part, `"`, " ")+`"`, query.Env{}) // any text is a file
	calls := search.For(q)
	calls.Terms = slices.DeleteFunc(calls.Terms, func(t search.Term) bool { return t.Regexp != nil })
	return calls
}

// touches groups the calls by turn, and merges copies of one turn.
func (s *shelf) touches(hits []search.Hit, part string, f *Families) []Touch {
	type origin struct{ family, entry string }
	at := map[place]int{}
	copies := map[origin]int{}
	var out []Touch
	for i := range hits {
		h := &hits[i]
		begin := s.beginOf(h)
		if _, ok := at[place{h.Session.Path, begin}]; ok {
			continue // the last call was first
		}
		at[place{h.Session.Path, begin}] = len(out)
		from := origin{f.first(h.Session.Path), begin}
		if k, ok := copies[from]; ok {
			was := &out[k]
			if h.Session.Created.Before(was.Session.Created) {
				was.Copies = append(was.Copies, was.Session.ID)
				was.Session, was.EntryID, was.Time = h.Session, h.EntryID, h.Time
			} else {
				was.Copies = append(was.Copies, h.Session.ID)
			}
			continue
		}
		copies[from] = len(out)
		out = append(out, Touch{Session: h.Session, EntryID: h.EntryID, Time: h.Time, File: part, Turn: Turn{FirstEntry: begin}})
	}
	return out
}

// complete reads what was done to the file, and why.
func (v *volume) complete(t *Touch, part string, veil *search.Veil) {
	if pos, err := v.view.Find(t.EntryID); err == nil && v.left(pos) {
		t.Left, t.Why = true, v.whyLeft(pos)
	}
	x := v.turn(t.EntryID)
	if x == nil {
		return
	}
	t.fill(x)
	for i := range x.Items {
		it := &x.Items[i]
		if it.Tool == nil {
			continue
		}
		path, act := inspect.PathOf(string(it.Name), it.Tool.Arguments)
		if path == "" || !veil.Shows(path, part) {
			continue
		}
		t.File = path
		switch {
		case it.Tool.Result != nil && it.Tool.Result.IsError:
			t.Failed++
		case act == inspect.Changes:
			t.Changed++
		default:
			t.Read++
		}
	}
}
