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
func Cells(dst []Cell, rows []Row, i, from, to int) []Cell {
	r := &rows[i]
	to = min(to, int(r.Level))
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
	t := r.turn
	if r.Branch {
		c := Tee
		if r.Last {
			c = Corner
		}
		put(int(r.Level)-1, c)
		t = above(rows, int(t))
	}
	for t != None && int(rows[t].Level) > from {
		if !rows[t].Last {
			put(int(rows[t].Level)-1, Bar)
		}
		t = above(rows, int(t))
	}
	return dst
}

// above returns the next row with a connector above one that has one.
func above(rows []Row, i int) int32 {
	if p := rows[i].Parent; p != None {
		return rows[p].turn
	}
	return None
}
