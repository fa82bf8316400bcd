package envelope

// turningKinds are the kinds of entry that decide how a context starts. They
// are few and can be far back, so a table remembers their positions.
var turningKinds = [kindCount]int8{
	KindCompaction: 1, KindResetBoundary: 2, KindReset: 2, KindModelChange: 3, KindThinkingLevelChange: 4,
}

const turnings = 4

// TurningPoints returns the entries of a kind in file order. It supports the
// kinds that decide how a context starts: compactions, resets of both kinds,
// changes of model and of thinking level. For other kinds it returns nil.
func (t *Table) TurningPoints(k Kind) []int32 {
	if n := turningKinds[k]; n > 0 {
		return t.turning[n-1]
	}
	return nil
}
