package compact

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tokens"
)

// This file weighs text, in quarters of a token.

func (e Estimator) text(b []byte) int64 {
	if e == ByScript {
		return tokens.ByScript(b)
	}
	return tokens.Units(b)
}

// unit returns the weight of one UTF-16 unit.
func (e Estimator) unit(u rune) int64 {
	if e != ByScript {
		return 1
	}
	return tokens.OfRune(u)
}

// literal returns the weight of the value of a JSON string, or 0 for any other
// value. It does not decode the string, because most text is only weighed.
func (e Estimator) literal(raw []byte) int64 {
	if len(raw) < 2 || raw[0] != '"' {
		return 0
	}
	rest := raw[1 : len(raw)-1]
	if !utf8.Valid(rest) {
		s, _ := jsonl.String(raw)
		return e.text([]byte(s))
	}
	n := int64(0)
	for {
		plain := bytes.IndexByte(rest, '\\')
		if plain < 0 {
			return n + e.text(rest)
		}
		n += e.text(rest[:plain])
		u, size := escapedUnit(rest[plain:])
		n += e.unit(u)
		rest = rest[min(plain+size, len(rest)):]
	}
}

// escapedUnit returns the escape at the start of b and its length.
func escapedUnit(b []byte) (rune, int) {
	if len(b) < 6 || b[1] != 'u' {
		return ' ', 2 // all short escapes stand for ASCII
	}
	u, _ := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(u), 6
}
