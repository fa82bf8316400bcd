package transcript

import (
	"strconv"
	"strings"
)

// rename gives calls ids of their own. Some models count their calls anew in
// every answer, while some providers want ids that are unique in the whole
// conversation. The first call of an id keeps it.
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
	next := make(map[string]int) // the number that the next call of an id gets
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
// behind a bar; the first part is the one that must be unique.
func numbered(id string, n int) string {
	call, rest, found := strings.Cut(id, "|")
	call += "_" + strconv.Itoa(n)
	if found {
		return call + "|" + rest
	}
	return call
}

// liveCalls yields the calls that stay, with the ids that the session gave them.
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
