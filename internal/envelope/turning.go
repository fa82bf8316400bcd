package envelope

// The kinds of entry that decide how a context begins. They are few and can lie
// far back, so a table remembers where they are.
var turningKinds = [kindCount]int8{
	KindCompaction: 1, KindResetBoundary: 2, KindReset: 2, KindModelChange: 3, KindThinkingLevelChange: 4,
}

const turnings = 4

// TurningPoints are the entries of a kind in file order. It knows the kinds that
// decide how a context begins: compactions, resets of both kinds, changes of model and
// of thinking level; for others there are none.
func (t *Table) TurningPoints(k Kind) []int32 {
	if n := turningKinds[k]; n > 0 {
		return t.turning[n-1]
	}
	return nil
}

func (t *Table) turn(i int, k Kind) {
	if n := turningKinds[k]; n > 0 {
		t.turning[n-1] = append(t.turning[n-1], int32(i))
	}
}
