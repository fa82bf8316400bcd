package outline

// A Cell is one step of the indentation before a row. Each is drawn three
// columns wide.
type Cell uint8

// The kinds of cells.
const (
	Blank     Cell = iota
	Bar            // a sibling of an ancestor follows further down
	Tee            // the row is one of several, and not the last
	Corner         // the row is the last of several
	cellCount      //
)

var cells = [cellCount]string{Blank: "   ", Bar: "│  ", Tee: "├─ ", Corner: "└─ "}

// String returns the cell as it is drawn where nothing can be folded.
func (c Cell) String() string { return cells[c] }

// Cells appends the cells [from, to) of the indentation before a row to dst.
func (r *Rows) Cells(dst []Cell, row Row, from, to int) []Cell {
	to = min(to, row.Level)
	if from >= to {
		return dst
	}
	start := len(dst)
	for range to - from {
		dst = append(dst, Blank)
	}
	out := dst[start:]
	put := func(level int, c Cell) {
		if level >= from && level < to {
			out[level-from] = c
		}
	}
	t := row.turn
	if row.Branch {
		c := Tee
		if row.Last {
			c = Corner
		}
		put(row.Level-1, c)
		t = r.turnAbove(t)
	}
	for t != None && int(r.segments[t].level) > from {
		if !r.segments[t].last {
			put(int(r.segments[t].level)-1, Bar)
		}
		t = r.turnAbove(t)
	}
	return dst
}

// turnAbove returns the next segment with a connector above one that has one.
func (r *Rows) turnAbove(k int32) int32 {
	if above := r.segments[k].above; above != None {
		return r.segments[above].turn
	}
	return None
}
