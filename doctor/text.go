package doctor

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A badText is a set of kinds of characters that cannot be sent to a model.
type badText uint8

const (
	halves badText = 1 << iota // escaped halves of surrogate pairs
	broken                     // invalid UTF-8
)

// checkText finds characters that cannot be sent to a model.
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
// contains such characters gets a new one, and references to it are updated.
func (d *diagnosis) replaceText(i int, line []byte, what badText) {
	switch id := d.id(i); {
	case id != "" && jsonl.LookupString(what.replaced(line), "id") != id:
		d.bodies.odd = append(d.bodies.odd, i)
	case bytes.Equal(what.repaired(line), line):
		d.bodies.names = append(d.bodies.names, naming{i, len(d.report.Findings) - 1})
		return
	}
	d.changeSet.texts[i] |= what
}

// A naming is an entry whose only fault is in its reference to another entry,
// and the corresponding finding.
type naming struct{ entry, finding int }

// checkNames settles the repair of such references: if no other finding fixes
// them, they refer to nothing and stay.
func (d *diagnosis) checkNames() {
	for _, n := range d.bodies.names {
		if len(d.changeSet.edits[n.entry]) == 0 {
			d.report.Findings[n.finding].Fix = ""
		}
	}
}

// links are the members that refer to entries.
var links = [...]string{"id", "parentId", "targetId", "firstKeptEntryId", "fromId"}

// repaired returns a line with these characters replaced, except in references.
func (what badText) repaired(line []byte) []byte {
	if what == 0 {
		return line
	}
	return linked(line, what.replaced(line))
}

// linked restores the original references in a line whose characters were
// replaced: two that differ only in such a character must stay distinct.
func linked(line, sound []byte) []byte {
	for _, name := range links {
		if jsonl.LookupString(line, name) != jsonl.LookupString(sound, name) {
			was, _ := jsonl.Lookup(line, name)
			sound = jsonl.Set(sound, name, was)
		}
	}
	return sound
}

// survey reports whether a line may contain an escape that starts with \ud or
// \uD, as those of surrogates do, and whether it is ASCII.
func survey(line []byte) (escapes, ascii bool) {
	ascii = !slices.ContainsFunc(line, func(c byte) bool { return c >= utf8.RuneSelf })
	return bytes.Contains(line, []byte(`\ud`)) || bytes.Contains(line, []byte(`\uD`)), ascii
}

// replacement is written literally and not as an escape, as JavaScript prints
// it.
const replacement = "\ufffd"

// replaced returns a line with each of these characters replaced by U+FFFD, as
// every reader shows them.
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

// sameText reports whether two lines are equal except for these characters,
// each of which is U+FFFD in the second. It compares them independently of how
// the second was made.
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
