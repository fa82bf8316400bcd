package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// A candidate is a value in a shape, which a name says to be a secret.
type candidate struct {
	span
	weight weight
	quoted bool
	// loose means that only a secret can stand here, so it may be a word.
	loose bool
	// spoken means that it stands in a sentence, where most words are none.
	spoken bool
}

// isSecret reports whether a candidate is a secret rather than an example, a
// reference, code or a hash.
func (c candidate) isSecret(text []byte, n name) bool {
	value := text[c.start:c.end]
	if len(value) < minLearned || len(value) > 512 || isForm(value) {
		return false
	}
	if !c.quoted && !c.loose && c.end < len(text) && bytes.IndexByte([]byte("([{"), text[c.end]) >= 0 { // a call
		return false
	}
	if isID(value) || isSum(text, c.start) || isHash(value) && !n.isStrong(text) {
		return false
	}
	if c.spoken && (len(value) < 14 && c.weight == generated || len(value) < 32 && bytes.HasPrefix(value, []byte("0x"))) {
		return false
	}
	if looksGenerated(value) && (c.quoted || c.loose || !isCode(value)) && (c.weight == madeUp || len(value) >= 10) {
		return !bytes.ContainsAny(value, " \t\n(){}<>,;") || c.weight == madeUp && !bytes.ContainsAny(value, " \n\t")
	}
	return c.weight == madeUp && c.isMadeUp(value)
}

// isMadeUp reports whether a value that does not look generated can be a
// password.
func (c candidate) isMadeUp(value []byte) bool {
	if isGroups(value) {
		return c.quoted
	}
	letters, digits, signs := 0, 0, 0
	for _, char := range value {
		switch {
		case char >= 0x80, bytes.IndexByte([]byte(" \t\n(){}<>[];,|\\\"'`"), char) >= 0:
			return false
		case '0' <= char && char <= '9':
			digits++
		case isAlnum(char):
			letters++
		case bytes.IndexByte([]byte("!@#%^*?$&+~"), char) >= 0:
			signs++
		}
	}
	if letters < 3 || len(value) > 64 || entropy(value) < 2.5 || bytes.IndexByte([]byte("$%@/."), value[0]) >= 0 || isHash(value) {
		return false
	}
	if !c.quoted && !c.loose && isCode(value) {
		return false
	}
	switch {
	case signs > 0 && digits > 0:
		return true
	case digits > 1 && !isType(value):
		return true
	case c.loose:
		return digits > 0 && !isType(value) || !c.quoted && bytes.IndexAny(value, "_./:") < 0
	}
	return c.quoted && digits > 0 && !isType(value)
}

// isGroups reports whether a value is in groups of four letters, as application
// passwords are shown: abcd efgh ijkl mnop.
func isGroups(value []byte) bool {
	groups := bytes.Split(value, []byte(" "))
	return len(groups) >= 4 && !slices.ContainsFunc(groups, func(g []byte) bool { return len(g) != 4 || skip(g, 0, 4, inWord) != 4 })
}

// isType reports whether a value is the name of a type or an algorithm: Uint64,
// sha256.
func isType(value []byte) bool { return typeName.Match(value) }

var typeName = regexp.MustCompile(`(?i)(?:int|float|uint|sha|aes|rsa|ed|curve|p|x|bits?|size|utf|base|complex|crc|fnv|hash|hs|rs|es|ps|blake2?[bs]?|key|len|max|min|hex|word|block|array|codec|simd)[-_]?(?:8|16|32|64|128|192|256|384|512|1024|2048|4096|25519)$`)

// isCode reports whether an unquoted value is an expression: names joined by
// dots or colons, or a file name.
func isCode(value []byte) bool {
	if bytes.IndexAny(value, ".:") < 0 || bytes.ContainsAny(value, "!#%^*?$&~+") {
		return bytes.Contains(value, []byte("==")) && !bytes.HasSuffix(value, []byte("=="))
	}
	for part := range bytes.FieldsFuncSeq(value, func(r rune) bool { return r == '.' || r == ':' }) {
		if len(part) >= 6 && jumbled(part, 6, surprising) > 0 {
			return false
		}
	}
	return true
}

// isForm reports whether a value is an example, a placeholder or a reference.
func isForm(value []byte) bool {
	text := string(value)
	lower := strings.ToLower(text)
	return hasListed("not literal", text) || strings.Contains(text, "\n\n") || hasListed("placeholders", lower) || hasListed("example words", lower) || isListed("everyday words", lower) ||
		isReference(text) || isPath(text) || variableName.Match(value)
}

// variableName matches the names of variables in shells and verbs of formats, which
// are no passwords.
var variableName = regexp.MustCompile(`^(?:\$\w[^!#%^*?$]*|%.*%|.*%[svdq])$|^%[svdq]`)
