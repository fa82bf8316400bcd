package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/sessiondir"
)

const (
	// recentRows is the number of sessions that Recent looks at, and at most as
	// many of their relatives.
	recentRows = 200
	// mostGrowth is the number of appended bytes that Recent reads from a file.
	mostGrowth = 1 << 20
)

// Recent returns some of the sessions that List yields, or ListAll if cwd is "":
// those that were used last according to the index, their relatives, and those
// in the given files that the index knows. It checks only their files. maybe
// reports whether List may yield sessions.
func Recent(ctx context.Context, cwd string, also []string, o Options) (infos []Info, maybe bool) {
	q := query{internal: o.IncludeInternal}
	here := o.expand(cwd, "")
	if cwd != "" {
		q.project = newProject(here, &o)
		_, err := os.Stat(o.environment().Place(here).For(here))
		maybe = err == nil // the index may not know the sessions in it yet
	}
	roots := Roots(o, here)
	rows, any := o.Index.recent(ctx, &q, also)
	if !any {
		return nil, true
	}
	seen := map[string]bool{}
	var scratch facts
	for _, r := range rows {
		root := slices.IndexFunc(roots, func(root Root) bool { return strings.HasPrefix(r.path, root.Dir+string(filepath.Separator)) })
		if root < 0 || seen[r.path] || !q.wants(r.cwd, r.internal) {
			continue
		}
		seen[r.path], maybe = true, true
		f, err := fileOn(r.path, roots[root].Name)
		if err != nil {
			continue
		}
		var out outcome
		if r.isOf(&f) && r.kind == rowWhole {
			out = r.answer(&f, &q, &scratch)
		} else if growth := f.size - r.size; growth >= 0 && growth <= mostGrowth && r.kind == rowWhole {
			out = new(reader).lookup(ctx, f, q, &o, func(context.Context, *file) *row { return r })
		} else {
			continue
		}
		if out.err == nil {
			infos = append(infos, out.info)
		}
	}
	sortByRecency(infos)
	return infos, maybe
}

// recent returns the rows of the sessions that were used last, of their
// relatives, and of some files. any reports whether there are rows at all.
func (ix *Index) recent(ctx context.Context, q *query, also []string) (rows []*row, any bool) {
	if ix == nil {
		return nil, false
	}
	type session struct {
		*brief
		used time.Time
	}
	var all []session
	now := time.Now()
	err := ix.db.Read(ctx, func(tx *sql.Tx) error {
		return selectBriefs(ctx, tx, func(b *brief) {
			any = true
			if b.kind == rowOther || !q.wants(b.cwd, b.internal) {
				return
			}
			written := time.Unix(0, b.mtime)
			used := written
			if b.used > 0 {
				used = time.UnixMilli(b.used)
			}
			all = append(all, session{b, sessiondir.Recency(used, time.Time{}, written, now)})
		}, "")
	})
	if err != nil {
		ix.fail(err)
		return nil, false
	}
	slices.SortFunc(all, func(a, b session) int {
		return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.session, b.session), cmp.Compare(a.path, b.path))
	})
	var ids []int64
	for _, s := range all[:min(recentRows, len(all))] {
		ids = append(ids, s.id)
	}
	newest := ix.rows(ctx, q, ids)
	take := func(r *row) { rows = append(rows, r) }
	for _, id := range ids {
		if r := newest[id]; r != nil {
			take(r)
		}
	}
	// A thread is shown as a whole.
	ix.selectRows(ctx, q, func(r *row) { take(r); ids = append(ids, r.id) }, "WHERE path IN (SELECT parent FROM file WHERE id IN (SELECT value FROM json_each(?)))", numbers(ids))
	ix.selectRows(ctx, q, take, `WHERE parent <> '' AND parent IN (SELECT path FROM file WHERE id IN (SELECT value FROM json_each(?1))
		UNION SELECT session FROM file WHERE id IN (SELECT value FROM json_each(?1))) LIMIT ?2`, numbers(ids), recentRows)
	for _, path := range also {
		ix.selectRows(ctx, q, take, "WHERE path = ?", path)
	}
	return rows, any
}
