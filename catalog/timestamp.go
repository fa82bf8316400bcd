package catalog

import "bytes"

// trailing is how many members may follow the timestamp of a message for it to
// be found from behind.
const trailing = 6

var timestampKey = []byte(`,"timestamp":`)

// lastTimestamp reads the timestamp of a valid message from behind, because it
// is among its last members and what comes before may be long. ok is false where
// that is not so; the message must then be read from the front.
//
// It is not a guess. The byte before the brace that closes a message ends the
// value of its last member. If that is a digit, digits behind `,"timestamp":`
// are a number of that name, because a quote behind a comma is not escaped and
// so begins a string, here a name. If it is a quote, the nearest quote before it
// begins the value when a colon is before that, and the name likewise when a
// comma is: then the member can be passed over, and the same holds again.
func lastTimestamp(msg []byte) (ms int64, ok bool) {
	rest := msg[:len(msg)-1]
	for range trailing {
		digits := rest[len(bytes.TrimRight(rest, "0123456789")):]
		if len(digits) > 0 {
			if len(digits) > 15 || !bytes.HasSuffix(rest[:len(rest)-len(digits)], timestampKey) {
				return 0, false
			}
			for _, c := range digits {
				ms = ms*10 + int64(c-'0')
			}
			return ms, true
		}
		if rest, ok = withoutLastString(rest); !ok {
			return 0, false
		}
	}
	return 0, false
}

// withoutLastString removes a last member that is a string, and the comma before
// it, from the members of an object. A member that could itself be the timestamp
// is not removed.
func withoutLastString(members []byte) (_ []byte, ok bool) {
	rest, ok := withoutLastQuoted(members, ':')
	if !ok {
		return nil, false
	}
	before, ok := withoutLastQuoted(rest, ',')
	if !ok {
		return nil, false
	}
	name := rest[len(before)+2 : len(rest)-1]
	if string(name) == "timestamp" || bytes.IndexByte(name, '\\') >= 0 {
		return nil, false
	}
	return before, true
}

// withoutLastQuoted removes the string that b ends in, and the byte before it,
// which must be the given one.
func withoutLastQuoted(b []byte, before byte) (_ []byte, ok bool) {
	if len(b) == 0 || b[len(b)-1] != '"' {
		return nil, false
	}
	i := bytes.LastIndexByte(b[:len(b)-1], '"')
	if i < 1 || b[i-1] != before {
		return nil, false
	}
	return b[:i-1], true
}
