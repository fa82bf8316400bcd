package catalog

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
)

// shortest is the minimum length of a displayed id prefix.
const shortest = 8

// ShortIDs maps each id to its shortest unique prefix of at least 8 characters.
// Ids made within a minute of each other start alike, so a fixed length would
// not distinguish them.
func ShortIDs(ids []string) map[string]string { return Shorten(ids, nil) }

// Shorten is like ShortIDs for some of many ids: it maps those in some to their
// shortest prefixes that are unique among some and all.
func Shorten(some, all []string) map[string]string {
	short := make(map[string]string, len(some))
	if !slices.ContainsFunc(some, func(id string) bool { return len(id) > shortest }) { // as for entry ids: a large session has tens of thousands
		for _, id := range some {
			short[id] = id
		}
		return short
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(some)))
	need := make([]int, len(sorted))
	differs := func(i int, from string) { need[i] = max(need[i], commonPrefix(sorted[i], from)+1) }
	for i := 1; i < len(sorted); i++ {
		differs(i-1, sorted[i])
		differs(i, sorted[i-1])
	}
	for _, id := range all { // any but its neighbors have less in common with it than with them
		i, found := slices.BinarySearch(sorted, id)
		if !found && i > 0 {
			differs(i-1, id)
		}
		if !found && i < len(sorted) {
			differs(i, id)
		}
	}
	for i, id := range sorted {
		short[id] = prefix(id, max(need[i], shortest))
	}
	return short
}

// IDs returns the ids of all sessions under the roots, including internal ones:
// the ids that a reference is compared with. For files named like pi's, only
// the name is used.
func IDs(ctx context.Context, cwd string, o Options) ([]string, error) {
	o.Progress, o.Skipped = nil, nil
	found := finder{opt: &o}
	roots := Roots(o, o.expand(cwd, ""))
	_ = found.find(ctx, roots) // a root that cannot be read contributes no ids
	ids := make([]string, 0, len(found.files))
	var others []*file
	for _, f := range found.files {
		if id := stampedID(f.name); id != "" {
			ids = append(ids, id)
		} else if now, err := fileOn(f.path(), f.root()); err == nil {
			others = append(others, &now)
		}
	}
	for info := range o.readAll(ctx, others, query{headOnly: true, internal: true}, o.Index.of(ctx, others)) {
		ids = append(ids, info.ID)
	}
	return ids, ctx.Err()
}

// stampedID returns the id in the name of a file that is named like pi's, or "".
func stampedID(name string) string {
	_, id, _ := format.ParseFileName(strings.TrimSuffix(name, format.FileSuffix))
	return id
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// prefix returns at least the first n bytes of s, extended to the end of a
// character.
func prefix(s string, n int) string {
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[:min(n, len(s))]
}
