package redact

import (
	"bytes"
	"regexp"
	"slices"
)

// This file finds suspects: strings that look random, beside which nothing says
// that they are secret, and nothing that they are not.

const (
	suspectLabel = "suspect"
	// leastSuspect is the length from which a run of characters may be a suspect,
	// and leastRandom how many of them must look random.
	leastSuspect = 16
	leastRandom  = 14
	// mostSuspect is the length beyond which a run is data.
	mostSuspect = 200
	// random is the surprise from which a part looks random, wherever it stands.
	// The longer it is, the less that happens by chance.
	random     = 5.75
	longPart   = 16
	randomLong = surprising
)

// inSuspect are the characters of keys. What a slash or a dot joins can also be
// a path or a name.
var (
	inSuspect = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/.~")
	inPart    = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+~")
)

// An exemption is a kind of random strings that are no secrets.
type exemption struct {
	id      string
	example string // without a suspect
	exempts func(text []byte, run span) bool
}

var exemptions = []exemption{
	{"data", `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf`, func(text []byte, run span) bool {
		return bytes.HasSuffix(text[:run.start], []byte("base64,"))
	}},
	{"wrapped data", "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgcnVucyBhd2F5\nQmVoaW5kIGl0IHJ1bnMgdGhl", isWrapped},
	{"table of data", "\"JPQDX2IL3W5CYAFRZ4XUJOHQ3G\",\n\"G6YSUTEX4HHL44ISK2JVVK45BV\",\n\"VH5G3ZLF5XC22QAEJ6JDGOBE5Y\",", inTable},
	{"checksum", `example.org/m v1.0.0 h1:kR9Xw2LmQ4vT7hbZ3dPq8sYn5cJf6gAe1uVo0iBxK7M=`, func(text []byte, run span) bool {
		return isSum(text, run.start)
	}},
	{"ID", `toolu_012yuiPP1VAfh196GXaAmT8D`, func(text []byte, run span) bool { return isID(text[run.start:run.end]) }},
	{"member that is an ID", `{"responseId":"kR9Xw2LmQ4vT7hbZ3dPq8sYn"}`, func(text []byte, run span) bool { return plainMember(text, run.start) }},
	{"public key", `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK7Xw2LmQ4vT7hbZ3dPq8sYn5cJf6gAe1uVo0iBx`, func(text []byte, run span) bool {
		return bytes.HasPrefix(text[run.start:run.end], []byte("AAAA"))
	}},
	{"package of Nix", `/nix/store/0c3kxv2lqmw9x1h7bzj4dp8sy5nfg6va-hello-2.12`, func(text []byte, run span) bool {
		return bytes.Contains(text[run.start:run.end], []byte("/nix/store/"))
	}},
	{"version", `v0.0.0-20240101120000-kx9w2lmq4vt7`, func(text []byte, run span) bool {
		value := bytes.TrimPrefix(text[run.start:run.end], []byte("v"))
		return len(value) > 2 && '0' <= value[0] && value[0] <= '9' && bytes.IndexByte(value[:3], '.') > 0
	}},
}

// scanSuspects adds the suspects of a text.
func (s *scratch) scanSuspects(text []byte) {
	for i := leastSuspect - 1; i < len(text); {
		if !inSuspect[text[i]] {
			i += leastSuspect
			continue
		}
		run := runAround(text, span{i, i}, inSuspect)
		i = run.end + leastSuspect
		if run.end-run.start < leastSuspect || run.end-run.start > mostSuspect || slices.ContainsFunc(s.opaque, run.overlaps) {
			continue
		}
		if part := randomPart(text, run); part.end > 0 && !slices.ContainsFunc(exemptions, func(e exemption) bool { return e.exempts(text, run) || e.exempts(text, part) }) {
			if part.end == run.end {
				part.end = skip(text, part.end, 2, inPadding)
			}
			s.emit(text, match{span: part, kind: Suspect, label: suspectLabel, rank: suspectRank})
		}
	}
}

const suspectRank = 1 << 22

// randomPart returns the part of a run that looks random, or an empty span. It
// begins and ends where a path, a name or the run does.
func randomPart(text []byte, run span) span {
	var part span
	count, digits, changes := 0, 0, 0
	for i := run.start; i < run.end; {
		if !isAlnum(text[i]) {
			i++
			continue
		}
		start := i
		for i < run.end && isAlnum(text[i]) {
			i++
		}
		word := text[start:i]
		switch bits := surprise(word); {
		case isHex(word), len(word) < 5:
		case len(word) >= 8 && bits > random || len(word) >= longPart && bits > randomLong:
			if part.end == 0 {
				part.start = start
			}
			part.end, count = i, count+len(word)
			digits, changes = digits+countDigits(word), changes+countChanges(word)
		case bits < surprising && (i == run.end || bytes.IndexByte([]byte("/."), text[i]) >= 0 || start > run.start && bytes.IndexByte([]byte("/."), text[start-1]) >= 0):
			if count >= leastRandom {
				run.end = start // ends the loop
				break
			}
			part, count, digits, changes = span{}, 0, 0, 0 // a name in a path
		}
	}
	if count < leastRandom || digits < 1 || changes < 4 {
		return span{} // of few characters, or not mixed as those of keys are
	}
	return runAround(text, part, inPart)
}

func countDigits(word []byte) (n int) {
	for _, c := range word {
		if '0' <= c && c <= '9' {
			n++
		}
	}
	return n
}

// countChanges returns how often a word changes between letters and digits, or
// from a small letter to a capital.
func countChanges(word []byte) (n int) {
	for i := 1; i < len(word); i++ {
		a, b := word[i-1], word[i]
		if (a <= '9') != (b <= '9') || a >= 'a' && 'A' <= b && b <= 'Z' {
			n++
		}
	}
	return n
}

// lines returns the lines above and below a run, at most two each, the nearest
// first, without quotes, commas and indentation.
func lines(text []byte, run span) (above, below [2][]byte) {
	const far = 1000
	bare := func(line []byte) []byte { return bytes.Trim(line, " \t\r\"'`,;+=") }
	before, after := text[max(0, run.start-far):run.start], text[run.end:min(len(text), run.end+far)]
	for i := range above {
		end := bytes.LastIndexByte(before, '\n')
		if end < 0 || len(bare(before[end+1:])) > 0 && i == 0 {
			break
		}
		before = before[:end]
		above[i] = bare(before[bytes.LastIndexByte(before, '\n')+1:])
	}
	for i := range below {
		head, rest, found := bytes.Cut(after, []byte("\n"))
		if !found || len(bare(head)) > 0 && i == 0 {
			break
		}
		head, _, _ = bytes.Cut(rest, []byte("\n"))
		after, below[i] = rest, bare(head)
	}
	return above, below
}

// isWrapped reports whether a run is a line of data in several lines. The last
// one may be shorter.
func isWrapped(text []byte, run span) bool {
	const narrow = 48 // the least width of such lines
	isData := func(line []byte, least int) bool {
		return len(line) >= least && skip(line, 0, len(line), inSuspect) == len(line)
	}
	above, below := lines(text, run)
	return isData(above[0], narrow) || run.end-run.start >= narrow && isData(below[0], 1)
}

// inTable reports whether a run is one of three strings of the same length on
// lines below each other.
func inTable(text []byte, run span) bool {
	above, below := lines(text, run)
	same := func(line []byte) bool {
		return len(line) == run.end-run.start && skip(line, 0, len(line), inSuspect) == len(line)
	}
	return same(above[0]) && (same(above[1]) || same(below[0])) || same(below[0]) && same(below[1])
}

// plainMember reports whether a value belongs to a member or a variable that
// holds an ID, a checksum or data.
func plainMember(text []byte, start int) bool {
	name := memberBefore.FindSubmatch(text[max(0, start-80):start])
	if name == nil {
		return false
	}
	words := wordsOf(string(name[1]))
	return len(words) > 0 && isListed("plain members", words[len(words)-1])
}

var memberBefore = regexp.MustCompile(`([\w-]{1,40})["'\x60 \\]*[:=]["'\x60 \\]{0,3}$`)
