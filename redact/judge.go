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
	// loose means that only a secret can be in this place, so it may be a word.
	loose bool
	// spoken means that it is part of a sentence, where most words are not secrets.
	spoken bool
}

// A refusal is a kind of values that stand where a secret could and are none.
type refusal struct {
	id      string
	example string // of a shape, with the value in angle quotes
	refuses func(text, value []byte, c candidate, n name) bool
}

var refusals = []refusal{
	{"example or reference", `password = "«changeme-2024»"`, func(_, value []byte, _ candidate, _ name) bool { return isForm(value) }},
	{"call", `token := «newToken2024»(user)`, func(text, _ []byte, c candidate, _ name) bool {
		return !c.quoted && !c.loose && c.end < len(text) && bytes.IndexByte([]byte("([{"), text[c.end]) >= 0
	}},
	{"code", `password: «settings.Password2»`, func(_, value []byte, c candidate, _ name) bool { return !c.quoted && !c.loose && isCode(value) }},
	{"ID", `token: "«call_9aZ8bY7cX6dW5eV4fU3g»"`, func(_, value []byte, _ candidate, _ name) bool { return isID(value) }},
	{"checksum", `the key checksum: «kR9Xw2LmQ4vT7hbZ3dPq»`, func(text, _ []byte, c candidate, _ name) bool { return isSum(text, c.start) }},
	{"hash", `key=«3f786850e387550fdab836ed7e6dc881de23001b»`, func(text, value []byte, _ candidate, n name) bool {
		return isHash(value) && !n.isStrong(text)
	}},
	{"short word in a sentence", `the key is «kR9Xw2LmQ4v»`, func(_, value []byte, c candidate, _ name) bool {
		return c.spoken && c.weight == generated && len(value) < 14
	}},
	{"number in a sentence", `the secret is «0x53c237aa93b1c4»`, func(_, value []byte, c candidate, _ name) bool {
		return c.spoken && len(value) < 32 && bytes.HasPrefix(value, []byte("0x"))
	}},
	{"expression", `key = "«f(kR9Xw2LmQ4vT7hb)»"`, func(_, value []byte, c candidate, _ name) bool {
		return bytes.ContainsAny(value, " \t\n") && !isGroups(value) || c.weight == generated && bytes.ContainsAny(value, "(){}<>,;")
	}},
	{"type or algorithm", `password: "«Curve25519»"`, func(_, value []byte, _ candidate, _ name) bool {
		return typeName.Match(value) && !looksGenerated(value)
	}},
}

// isSecret reports whether a candidate is a secret rather than an example, a
// reference, code or a hash.
func (c candidate) isSecret(text []byte, n name) bool {
	value := text[c.start:c.end]
	if len(value) < minLearned || len(value) > 512 || slices.ContainsFunc(refusals, func(r refusal) bool { return r.refuses(text, value, c, n) }) {
		return false
	}
	if looksGenerated(value) && (c.weight == madeUp || len(value) >= 10) {
		return true
	}
	return c.weight == madeUp && (c.quoted && isGroups(value) || c.isMadeUp(value))
}

// isMadeUp reports whether a value that does not look generated can be a
// password: CopperRiver2024, tiger!9, and where only a secret can stand a word.
func (c candidate) isMadeUp(value []byte) bool {
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
	return digits > 1 || digits > 0 && (signs > 0 || c.quoted || c.loose) || c.loose && !c.quoted && !bytes.ContainsAny(value, "_./:")
}

// isGroups reports whether a value is in groups of four letters, as application
// passwords are shown: abcd efgh ijkl mnop.
func isGroups(value []byte) bool {
	groups := bytes.Split(value, []byte(" "))
	return len(groups) >= 4 && !slices.ContainsFunc(groups, func(g []byte) bool { return len(g) != 4 || skip(g, 0, 4, inWord) != 4 })
}

// typeName matches the names of types and algorithms: Uint64, sha256.
var typeName = regexp.MustCompile(`(?i)(?:int|float|uint|sha|aes|rsa|ed|curve|p|x|bits?|size|utf|base|complex|crc|fnv|hash|hs|rs|es|ps|blake2?[bs]?|key|len|max|min|hex|word|block|array|codec|simd)[-_]?(?:8|16|32|64|128|192|256|384|512|1024|2048|4096|25519)$`)

// isCode reports whether an unquoted value is an expression: names joined by
// dots or colons, or a file name.
func isCode(value []byte) bool {
	if !bytes.ContainsAny(value, ".:") || bytes.ContainsAny(value, "!#%^*?$&~+") {
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
