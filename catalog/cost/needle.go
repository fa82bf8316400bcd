package cost

import "bytes"

// A needle is a quoted name to be found in long lines. Quotes are everywhere in
// JSON, so the search goes from one of its rarer letters to the next.
type needle struct {
	name   []byte
	letter byte
	at     int // where the letter stands in the name
}

func newNeedle(name string, letter byte) needle {
	quoted := []byte(`"` + name + `"`)
	return needle{quoted, letter, bytes.IndexByte(quoted, letter)}
}

// in reports whether a line holds the name.
func (n *needle) in(line []byte) bool { return n.behind(line) >= 0 }

// behind is where the name ends in a line; -1 when it is not there.
func (n *needle) behind(line []byte) int {
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
