package catalog

import (
	"cmp"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/cache/index"
	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/sessiondir"
)

const (
	// recentRows is the number of sessions that are saved for Recent, and at
	// most as many of their relatives.
	recentRows = 200
	// recentInProjects is the number of further sessions, the newest of each
	// project.
	recentInProjects = 1000
	// mostGrowth is the number of appended bytes that Recent reads from a file.
	mostGrowth = 1 << 20
)

// Recent returns some of the sessions that List yields, or ListAll if cwd is "":
// those that were used last when the index was last saved, and those in the
// given files that the index knows. It checks only their files, so the time it
// takes does not depend on the number of sessions. maybe reports whether List
// may yield sessions. A small index saves no recent sessions: Recent then
// returns none, and maybe is true.
func Recent(ctx context.Context, cwd string, also []string, o Options) (infos []Info, maybe bool) {
	if o.Index == nil {
		return nil, true
	}
	q := query{internal: o.IncludeInternal}
	here := o.expand(cwd, "")
	if cwd != "" {
		q.project = newProject(here, &o)
		_, err := os.Stat(o.environment().Place(here).For(here))
		maybe = err == nil // the index may not know the sessions in it yet
	}
	roots := Roots(o, here)
	seen := map[string]bool{}
	var scratch facts
	take := func(path string, r *row) {
		root := slices.IndexFunc(roots, func(root Root) bool { return strings.HasPrefix(path, root.Dir+string(filepath.Separator)) })
		if root < 0 || seen[path] || !q.wants(r.cwd, r.internal) {
			return
		}
		seen[path], maybe = true, true
		stat, err := os.Stat(path)
		if err != nil || !stat.Mode().IsRegular() {
			return
		}
		f := fileOf(path, roots[root].Name, stat)
		var out outcome
		if r.isOf(&f) && r.kind == rowWhole {
			out = r.answer(&f, &q, &scratch)
		} else if growth := f.size - r.size; growth >= 0 && growth <= mostGrowth && r.kind == rowWhole {
			if o.Index.fetch(ctx, path); o.Index.at(path) == nil {
				return
			}
			var reader reader
			out = reader.lookup(ctx, f, q, &o)
		} else {
			return
		}
		if out.err == nil {
			infos = append(infos, out.info)
		}
	}
	general := true // the rows after an empty path are those of projects
	text, saved := o.Index.recentRows()
	if !saved {
		return nil, true
	}
	for d := pack.NewReader(text); d.Len() > 0; {
		var r row
		path, facts := d.String(), d.String()
		if path == "" {
			general = false
		} else if (general || cwd != "") && decodeRow(facts, &r) == nil {
			take(path, &r)
		}
	}
	for _, path := range also {
		o.Index.fetch(ctx, path)
		if r := o.Index.at(path); r != nil {
			take(path, r)
		}
	}
	sortByRecency(infos)
	return infos, maybe
}

// recentRows returns the rows that saveRecent saved.
func (ix *Index) recentRows() (text string, ok bool) {
	parts := ix.files.Parts(index.RecentRows)
	if parts == nil {
		return "", false
	}
	defer parts.Close()
	return parts.Read(0)
}

// saveRecent saves the rows for Recent, if they may have changed. The caller
// must hold ix.mu.
func (ix *Index) saveRecent() {
	if !ix.changed && ix.files.HasParts(index.RecentRows) {
		return
	}
	ix.changed = false
	type session struct {
		rowRef
		cwd  string
		used int64
	}
	all, now := make([]session, 0, len(ix.rows)), time.Now()
	projects := map[string]int{}
	children := map[string][]string{} // by the path or id of the parent
	for ref := range ix.all() {
		r := ref.brief()
		if r.kind == rowOther || r.internal {
			continue
		}
		written := time.Unix(0, r.mtime)
		used := written
		if r.used > 0 {
			used = time.UnixMilli(r.used)
		}
		all = append(all, session{ref, r.cwd, sessiondir.Recency(used, time.Time{}, written, now).UnixMilli()})
		projects[r.cwd] = 0
		if parent := ref.parent(); parent != "" {
			children[parent] = append(children[parent], ref.path())
		}
	}
	slices.SortFunc(all, func(a, b session) int {
		if a.used != b.used {
			return cmp.Compare(b.used, a.used)
		}
		return cmp.Or(cmp.Compare(a.id(), b.id()), cmp.Compare(a.path(), b.path()))
	})
	var paths []string
	saved := map[string]bool{}
	add := func(path string) {
		if !saved[path] {
			saved[path] = true
			paths = append(paths, path)
		}
	}
	for _, s := range all[:min(recentRows, len(all))] {
		add(s.path())
	}
	for i := 0; i < len(paths) && len(paths) < 2*recentRows; i++ { // a thread is shown as a whole
		ref, _ := ix.ref(paths[i]) // it was added for its row
		parent := ref.parent()
		if _, ok := ix.ref(parent); ok {
			add(parent)
		}
		for _, relatives := range [...][]string{children[paths[i]], children[ref.id()]} {
			for _, path := range relatives[:min(len(relatives), recentRows)] {
				add(path)
			}
		}
	}
	add("")
	each := max(1, recentInProjects/max(1, len(projects)))
	for _, s := range all {
		if projects[s.cwd]++; projects[s.cwd] <= each {
			add(s.path())
		}
	}
	err := ix.files.Save(index.RecentRows, func(w *index.PartWriter) {
		var rows []byte
		for _, path := range paths {
			var facts []byte
			if ref, ok := ix.ref(path); ok {
				if r := ref.whole(); r != nil {
					facts = appendRow(nil, r)
				}
			}
			rows = pack.AppendString(rows, path)
			rows = append(binary.AppendUvarint(rows, uint64(len(facts))), facts...)
		}
		w.Add("", rows)
	})
	if err != nil {
		ix.fail(err)
	}
}

// parent returns the session that a session was made from, as in its header.
func (r *row) parent() string {
	d := pack.NewReader(r.facts) // which starts with the id, the directory and the parent
	_, _ = d.String(), d.String()
	return d.String()
}
