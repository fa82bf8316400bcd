package transcript

import (
	"strconv"
	"strings"
)

// rename gives calls ids of their own. Some models number their calls from the
// start in every response, while some providers require ids that are unique in
// the whole conversation. The first call with an id keeps it.
func (r *repair) rename() {
	taken := make(map[string]bool)
	unique := true
	for id := range r.liveCalls {
		unique = unique && !taken[id]
		taken[id] = true
	}
	if unique {
		return
	}
	next := make(map[string]int) // the number for the next call with an id
	for id, c := range r.liveCalls {
		if next[id]++; next[id] == 1 {
			continue
		}
		c.newID = numbered(id, next[id])
		for taken[c.newID] {
			next[id]++
			c.newID = numbered(id, next[id])
		}
		taken[c.newID] = true
	}
}

// numbered adds a number to an id. Ids of some providers have a second part
// after a bar; the first part must be unique.
func numbered(id string, n int) string {
	call, rest, found := strings.Cut(id, "|")
	call += "_" + strconv.Itoa(n)
	if found {
		return call + "|" + rest
	}
	return call
}

// liveCalls yields the calls that stay, with the ids in the session.
func (r *repair) liveCalls(yield func(string, *call) bool) {
	for i := range r.items {
		it := &r.items[i]
		if it.fate != kept {
			continue
		}
		for n := range it.calls {
			if c := &it.calls[n]; c.why == 0 && !yield(it.blocks[c.block].id, c) {
				return
			}
		}
	}
}
