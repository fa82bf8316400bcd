package doctor

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A badText says which characters of a line cannot be sent to a model.
type badText uint8

const (
	halves badText = 1 << iota // escapes of halves of surrogate pairs
	broken                     // bytes that are not UTF-8
)

// checkText finds what cannot be sent to a model.
func (d *diagnosis) checkText(i int, line []byte) {
	escapes, ascii := survey(line)
	if escapes && jsonl.HasLoneHalf(line) && d.entry(LoneHalf, i, "half of a surrogate pair in the text") {
		d.replaceText(i, line, halves)
	}
	if !ascii && !utf8.Valid(line) && d.entry(NotUTF8, i, "bytes that are not UTF-8") {
		d.replaceText(i, line, broken)
	}
}

// replaceText makes the repair replace characters of a line. An entry whose id
// has such characters gets a new one, and those that name it name that.
func (d *diagnosis) replaceText(i int, line []byte, what badText) {
	switch id := d.id(i); {
	case id != "" && jsonl.LookupString(what.replaced(line), "id") != id:
		d.bodies.odd = append(d.bodies.odd, i)
	case bytes.Equal(what.mended(line), line):
		d.bodies.names = append(d.bodies.names, naming{i, len(d.report.Findings) - 1})
		return
	}
	if d.cure.texts == nil {
		d.cure.texts = make(map[int]badText)
	}
	d.cure.texts[i] |= what
}

// A naming is an entry that is sound but for a name of another entry, and the
// finding about that.
type naming struct{ entry, finding int }

// checkNames settles what a repair does about such names: where no other finding
// brings them in order, they lead nowhere and stay.
func (d *diagnosis) checkNames() {
	for _, n := range d.bodies.names {
		if len(d.cure.edits[n.entry]) == 0 {
			d.report.Findings[n.finding].Fix = ""
		}
	}
}

// links are the members that name entries.
var links = [...]string{"id", "parentId", "targetId", "firstKeptEntryId", "fromId"}

// mended is a line without these characters in what it says.
func (what badText) mended(line []byte) []byte {
	if what == 0 {
		return line
	}
	return linked(line, what.replaced(line))
}

// linked is a line whose characters were replaced, with the names of entries as
// they were: two that differ in such a character alone must not become one.
func linked(line, sound []byte) []byte {
	for _, name := range links {
		if jsonl.LookupString(line, name) != jsonl.LookupString(sound, name) {
			was, _ := jsonl.Lookup(line, name)
			sound = jsonl.Set(sound, name, was)
		}
	}
	return sound
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// survey reports whether a line may hold an escape that begins with \ud or \uD,
// as those of surrogates do, and whether it is ASCII alone. It takes sixteen bytes
// at a time: nearly all lines are looked at for nothing.
func survey(line []byte) (escapes, ascii bool) {
	var high uint64
	rest := line
	for len(rest) >= 18 {
		a, b := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		high |= a | b
		if escapesIn(a, binary.LittleEndian.Uint64(rest[1:]))|escapesIn(b, binary.LittleEndian.Uint64(rest[9:])) != 0 {
			escapes = escapes || mayBeHalf(rest[:18])
		}
		rest = rest[16:]
	}
	for _, c := range rest {
		high |= uint64(c)
	}
	return escapes || mayBeHalf(rest), high&tops == 0
}

// escapesIn is not zero if one of eight bytes is a backslash and the byte behind
// it, in the other word, a u.
func escapesIn(first, behind uint64) uint64 {
	miss := (first ^ '\\'*ones) | (behind ^ 'u'*ones)
	return (miss - ones) &^ miss & tops // a byte that is zero
}

func mayBeHalf(b []byte) bool {
	return bytes.Contains(b, []byte(`\ud`)) || bytes.Contains(b, []byte(`\uD`))
}

// replacement is written as it is and not as an escape: so JavaScript prints it.
const replacement = "\ufffd"

// replaced is a line in which each of these characters is U+FFFD, as every reader
// shows it.
func (what badText) replaced(line []byte) []byte {
	if what&broken != 0 {
		line = jsonl.Decoded(line)
	}
	var out []byte
	for what&halves != 0 {
		i := jsonl.NextLoneHalf(line, 0)
		if i < 0 {
			break
		}
		out = append(append(out, line[:i]...), replacement...)
		line = line[i+6:]
	}
	return append(out, line...)
}

// sameText reports whether two lines are the same but for these characters, each
// of which is U+FFFD in the second. It goes through both side by side, so that it
// does not depend on how the second was made.
func (what badText) sameText(was, now []byte) bool {
	for len(was) > 0 {
		r, size := utf8.DecodeRune(was)
		with := was[:size]
		if r == utf8.RuneError && size == 1 && what&broken != 0 {
			size, with = jsonl.Broken(was), []byte(replacement)
		} else if was[0] == '\\' {
			n, lone := jsonl.LoneHalf(was)
			size = min(n, len(was))
			if with = was[:size]; lone && what&halves != 0 {
				with = []byte(replacement)
			}
		}
		if !bytes.HasPrefix(now, with) {
			return false
		}
		was, now = was[size:], now[len(with):]
	}
	return len(now) == 0
}
