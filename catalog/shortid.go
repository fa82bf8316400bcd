package catalog

import (
	"context"
	"maps"
	"os"
	"path/filepath"
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
func ShortIDs(ids []string) map[string]string {
	short := make(map[string]string, len(ids))
	long := false
	for _, id := range ids {
		short[id] = id
		long = long || len(id) > shortest
	}
	if !long { // as for entry ids: a large session has tens of thousands
		return short
	}
	sorted := slices.Sorted(maps.Keys(short))
	for i, id := range sorted {
		need := 0
		if i > 0 {
			need = commonPrefix(id, sorted[i-1]) + 1
		}
		if i+1 < len(sorted) {
			need = max(need, commonPrefix(id, sorted[i+1])+1)
		}
		short[id] = prefix(id, max(need, shortest))
	}
	return short
}

// IDs returns the ids of all sessions under the roots, including internal ones:
// the ids that a reference is compared with. For files named like pi's, only
// the name is used.
func IDs(ctx context.Context, cwd string, o Options) ([]string, error) {
	o.Progress, o.Skipped = nil, nil
	found := finder{opt: &o}
	_ = found.find(ctx, Roots(o, o.expand(cwd, ""))) // a root that cannot be read contributes no ids
	var ids []string
	named := func(f file) bool {
		_, id, ok := format.ParseFileName(strings.TrimSuffix(filepath.Base(f.path), format.FileSuffix))
		if ok {
			ids = append(ids, id)
		}
		return ok
	}
	others := slices.DeleteFunc(found.files, named)
	for i := range others {
		if info, err := os.Stat(others[i].path); err == nil {
			others[i] = fileOf(others[i].path, others[i].root, info)
		}
	}
	for info := range o.readAll(ctx, others, query{headOnly: true, internal: true}) {
		ids = append(ids, info.ID)
	}
	return ids, ctx.Err()
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
