package envelope

// SetLongestLine sets up to which a line is held and returns what it was before.
func SetLongestLine(n int64) int64 {
	before := longestLine
	longestLine = n
	return before
}
