package cost

import "bytes"

// A needle is a quoted name to be found in long lines. Quotes are everywhere in
// JSON, so the search looks for one of its rarer letters.
type needle struct {
	name   []byte
	letter byte
	at     int // index of the letter in the name
}

func newNeedle(name string, letter byte) needle {
	quoted := []byte(`"` + name + `"`)
	return needle{quoted, letter, bytes.IndexByte(quoted, letter)}
}

// in reports whether a line contains the name.
func (n *needle) in(line []byte) bool { return n.end(line) >= 0 }

// end returns the offset just after the name in a line, or -1 if the line
// does not contain it.
func (n *needle) end(line []byte) int {
	for from := n.at; from < len(line); {
		i := bytes.IndexByte(line[from:], n.letter)
		if i < 0 {
			return -1
		}
		start := from + i - n.at
		if end := start + len(n.name); end <= len(line) && string(line[start:end]) == string(n.name) {
			return end
		}
		from += i + 1
	}
	return -1
}
