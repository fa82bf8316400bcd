package corpus

import (
	"bytes"
	"slices"
	"strings"
)

// Damage damages a session file like crashes, other programs and bad tools: the
// given number of times, each time in one of the ways of harm. The same seed
// gives the same result. Damage does not modify data.
func Damage(data []byte, seed uint64, times int) []byte {
	r := &random{seed}
	out := slices.Clone(data)
	for range times {
		if len(out) == 0 {
			return out
		}
		out = pick(r, harm)(r, out)
	}
	return out
}

// harm lists the ways in which Damage changes a file.
var harm = []func(*random, []byte) []byte{
	cutTail, dropNewline, dropLine, repeatLine, moveLine, padLine, junkLine, flipByte, cutMiddle, swapWords, spoilHeader, spoilField,
	spoilText, spoilTime,
}

// lineAt chooses a line and returns its bounds, without its end.
func lineAt(r *random, data []byte) (start, end int) {
	start = bytes.LastIndexByte(data[:r.below(len(data))], '\n') + 1
	end = bytes.IndexByte(data[start:], '\n')
	if end < 0 {
		return start, len(data)
	}
	return start, start + end
}

// splice replaces a range of bytes.
func splice(data []byte, from, to int, with string) []byte {
	return slices.Concat(data[:from], []byte(with), data[to:])
}

func cutTail(r *random, data []byte) []byte {
	return data[:len(data)-r.below(min(len(data), 400))]
}

func dropNewline(r *random, data []byte) []byte {
	_, end := lineAt(r, data)
	return splice(data, end, min(end+1, len(data)), "")
}

func dropLine(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	return splice(data, start, min(end+1, len(data)), "")
}

func repeatLine(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	return splice(data, end, end, "\n"+string(data[start:end]))
}

func moveLine(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	line := string(data[start:end]) + "\n"
	rest := splice(data, start, min(end+1, len(data)), "")
	if len(rest) == 0 {
		return data
	}
	to, _ := lineAt(r, rest)
	return splice(rest, to, to, line)
}

func padLine(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	at := pick(r, []int{start, end})
	return splice(data, at, at, strings.Repeat("\x00", 1+r.below(64)))
}

func junkLine(r *random, data []byte) []byte {
	start, _ := lineAt(r, data)
	junk := []string{"<<<<<<< HEAD\n", "42\n", "null\n", `{"id":"x"}` + "\n", "\x00\x00\x00\x00\n", "\n", `{"type":"session","version":3,"id":"other","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}` + "\n", "\ufeff", `{"type":"mess`}
	return splice(data, start, start, pick(r, junk))
}

func flipByte(r *random, data []byte) []byte {
	out := slices.Clone(data)
	out[r.below(len(out))] ^= 1 << r.below(8)
	return out
}

func cutMiddle(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	if end == start {
		return data
	}
	from := start + r.below(end-start)
	return splice(data, from, from+r.below(end-from+1), "")
}

// swapWords replaces an ID by another one of the file: links point to other
// entries, IDs occur twice, cycles arise.
func swapWords(r *random, data []byte) []byte {
	ids := idsIn(data)
	if len(ids) == 0 {
		return data
	}
	start, end := lineAt(r, data)
	line := string(data[start:end])
	for range 4 {
		if old := pick(r, ids); strings.Contains(line, old) {
			return splice(data, start, end, strings.Replace(line, old, pick(r, ids), 1))
		}
	}
	if i := strings.Index(line, `"parentId":"`); i >= 0 && i+20 < len(line) {
		i += len(`"parentId":"`)
		return splice(data, start+i, start+i+8, pick(r, ids))
	}
	return data
}

// idsIn returns the IDs near the beginnings of lines.
func idsIn(data []byte) []string {
	var ids []string
	for line := range bytes.Lines(data) {
		head := line[:min(len(line), 200)]
		if i := bytes.Index(head, []byte(`"id":"`)); i >= 0 && i+14 <= len(head) {
			if id := string(head[i+6 : i+14]); !strings.ContainsAny(id, `"\`) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func spoilHeader(r *random, data []byte) []byte {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		return data
	}
	switch r.below(4) {
	case 0:
		return data[end+1:]
	case 1:
		return splice(data, r.below(end+1), end, "")
	case 2:
		return splice(data, 0, 0, "\ufeff")
	}
	return splice(data, 0, end, strings.Replace(string(data[:end]), `"version":3,`, pick(r, []string{"", `"version":"x",`, `"version":2,`, `"version":1,`}), 1))
}

// spoilField removes a member of a line's envelope or changes its value.
func spoilField(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	line := string(data[start:end])
	name := pick(r, []string{"id", "parentId", "timestamp", "type", "message", "targetId", "firstKeptEntryId", "toolCallId"})
	key := `"` + name + `":`
	i := strings.Index(line, key)
	if i < 0 {
		return data
	}
	from := start + i + len(key)
	if data[from] != '"' {
		return splice(data, start+i, from, `"x`+name+`":`)
	}
	to := from + 1 + bytes.IndexByte(data[from+1:end], '"') + 1
	if to <= from+1 {
		return data
	}
	return splice(data, from, to, pick(r, []string{"null", "7", `"nowhere"`, `""`}))
}

// spoilText inserts an invalid character into a string of a line: half of a
// surrogate pair, invalid UTF-8, or the beginning of a character.
func spoilText(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	quotes := bytes.Count(data[start:end], []byte{'"'})
	if quotes == 0 {
		return data
	}
	at := start
	for range 1 + r.below(quotes) {
		at += bytes.IndexByte(data[at:end], '"') + 1
	}
	return splice(data, at, at, pick(r, []string{`\ud83d`, `\uDE00`, "\xff", "\xe6\x97", "\xf0\x9f\x98"}))
}

// spoilTime changes the timestamp of a line.
func spoilTime(r *random, data []byte) []byte {
	start, end := lineAt(r, data)
	const key = `"timestamp":"`
	i := bytes.Index(data[start:end], []byte(key))
	if i < 0 || start+i+len(key)+4 > end {
		return data
	}
	at := start + i + len(key)
	return splice(data, at, at+4, pick(r, []string{"2019", "2024", "2031"}))
}
