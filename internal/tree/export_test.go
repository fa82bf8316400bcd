package tree

// RowOf is the row of chosen entries.
func RowOf(entries []int) Row {
	var r Row
	for pos, i := range entries {
		last := len(r.stretches) - 1
		if last >= 0 && i == r.stretches[last].first+r.stretches.len(last) {
			r.stretches[last].end++
			continue
		}
		r.stretches = append(r.stretches, stretch{i, pos + 1})
	}
	return r
}

// SetMostBits sets the logarithm of the largest table that is made for
// duplicate ids, and returns the one before.
func SetMostBits(n int) int {
	before := mostBits
	mostBits = n
	return before
}
