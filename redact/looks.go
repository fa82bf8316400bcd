package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// This file says what a value looks like, whatever stands beside it.

func charset(chars string) *[256]bool {
	var t [256]bool
	for _, c := range []byte(chars) {
		t[c] = true
	}
	return &t
}

var charSpace = charset(" \t")

// skip returns the end of a run of at most limit characters of the set, from i
// on.
func skip(text []byte, i, limit int, set *[256]bool) int {
	for end := min(len(text), i+limit); i < end && set[text[i]]; i++ {
	}
	return i
}

// runAround extends a part in both directions over characters of the set.
func runAround(text []byte, s span, set *[256]bool) span {
	for s.start > 0 && set[text[s.start-1]] {
		s.start--
	}
	return span{s.start, skip(text, s.end, len(text), set)}
}

const pairChars = 53 // a to z, A to Z, and any digit

// pairBits has for each character, and each one that may follow, how unusual that
// is: the negative binary logarithm of its frequency in source code and text.
// rules/pairs.txt has it as hexadecimal digits.
var pairBits = func() (t [pairChars][pairChars]uint8) {
	for i, line := range strings.Fields(string(ruleFile("rules/pairs.txt"))) {
		for j := range pairChars {
			t[i][j] = hexDigit[line[j]] - 1
		}
	}
	return t
}()

// pairIndex is the index of a character in pairBits, plus one; 0 if it has none.
var pairIndex = func() (t [256]uint8) {
	for c := range uint8(26) {
		t['a'+c], t['A'+c] = c+1, c+27
	}
	for c := range uint8(10) {
		t['0'+c] = 53
	}
	return t
}()

// surprise returns how unusual the pairs of characters of a word are, in bits a
// character: words and names in source code have 4, random ones 7.
func surprise(word []byte) float64 {
	if len(word) < 2 {
		return 0
	}
	sum := 0
	for i := 1; i < len(word); i++ {
		sum += int(pairBits[pairIndex[word[i-1]]-1][pairIndex[word[i]]-1])
	}
	return float64(sum) / float64(len(word)-1)
}

// surprising is the surprise from which a word beside the name of a secret is
// not a word.
const surprising = 5.5

// jumbled returns how many characters of a value are in parts of at least least
// letters and digits that are more surprising than limit, and not hexadecimal.
func jumbled(value []byte, least int, limit float64) (n int) {
	for i := 0; i < len(value); {
		if !isAlnum(value[i]) {
			i++
			continue
		}
		start := i
		for i < len(value) && isAlnum(value[i]) {
			i++
		}
		if part := value[start:i]; len(part) >= least && surprise(part) > limit && !isHex(part) {
			n += len(part)
		}
	}
	return n
}

// looksGenerated reports whether a value looks as if a program made it up.
func looksGenerated(value []byte) bool {
	digits := countDigits(value)
	if bare := bytes.TrimPrefix(value, []byte("0x")); isHex(bare) {
		return len(bare) >= 12 && len(bare) <= 128 && digits > 0 && digits < len(bare) && entropy(bare) > 2.9
	}
	if isUUID(value) {
		return true
	}
	n := jumbled(value, 6, surprising)
	return n >= 8 && 2*n >= len(value) && entropy(value) > 3 && (digits > 0 || n >= 16)
}

// isHash reports whether a value has the form of a hash or a UUID.
func isHash(value []byte) bool {
	return isUUID(value) || isHex(value) && (len(value) <= 16 || len(value) >= 40)
}

// isID reports whether a value identifies something that is not a secret: a
// call, a message, a request, a checksum, a date. Long runs of hexadecimal
// digits are data.
func isID(value []byte) bool {
	return slices.ContainsFunc(lists["identities"], func(prefix string) bool { return bytes.HasPrefix(value, []byte(prefix)) }) ||
		len(value) > 128 && isHex(value) || date.Match(value)
}

var date = regexp.MustCompile(`[12]\d{3}-\d\d-\d\d`)

// isSum reports whether the word right before a value indicates a checksum.
func isSum(text []byte, start int) bool {
	end := start
	for end > 0 && !isAlnum(text[end-1]) && start-end < 8 {
		end--
	}
	from := end
	for from > 0 && isAlnum(text[from-1]) && end-from < 16 {
		from--
	}
	return isListed("sums", strings.ToLower(string(text[from:end])))
}

func isHex(b []byte) bool { return skip(b, 0, len(b), inHex) == len(b) }

func isUUID(b []byte) bool {
	return len(b) == 36 && b[8] == '-' && b[13] == '-' && b[18] == '-' && b[23] == '-' &&
		isHex(b[:8]) && isHex(b[9:13]) && isHex(b[14:18]) && isHex(b[19:23]) && isHex(b[24:])
}
