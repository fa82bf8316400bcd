package envelope

import (
	"fmt"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// SetLongestLine sets up to which a line is held and returns what it was before.
func SetLongestLine(n int64) int64 {
	before := longestLine
	longestLine = n
	return before
}

// ScanUsual is what the short way through a line finds, as text: the members, then
// the role of the message. ok is false for a line that must go the long way.
func ScanUsual(line []byte) (found string, ok bool) {
	var m members
	if !m.scanUsual(line) {
		return "", false
	}
	return m.told(line), true
}

// ScanLine returns the result of the slow path for the same line; "" if it is
// not an object.
func ScanLine(line []byte) string {
	var m members
	if shape, _ := keys.Scan(line, m.spans[:]); shape != jsonl.Object {
		return ""
	}
	return m.told(line)
}

func (m *members) told(line []byte) string {
	return fmt.Sprintf("%v %q", m.spans, m.roleName(line))
}
