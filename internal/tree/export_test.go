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
