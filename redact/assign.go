package redact

import (
	"bytes"
	"slices"
	"strings"
)

// This file finds values assigned to a name that indicates a secret. The
// corresponding rule of gitleaks, generic-api-key, has keywords that occur many
// times per kilobyte in every session ("key", "token"), so it is implemented
// here instead of as an expression. This is the only place where randomness
// alone makes a finding, and it is stricter than the rule, because sessions are
// full of hashes and ids.

// assignRule is the rule whose keywords and exceptions are used, passRule the
// one for passwords.
const (
	assignRule = "generic-api-key"
	passRule   = "password"
)

var (
	inName       = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.- \t")
	behind       = charset("'\"` \t\r\n])")
	before       = charset("'\"` \t\r\n=")
	beforeOnLine = charset("'\"` \t=")
	inValue      = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=+/-")
	ends         = charset("'\"` \t\r\n;,)}]<&|\\")
	// inPassword is the set of characters of an unquoted password.
	inPassword = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=+/-!@#%^*~?:$&")
)

func charset(chars string) *[256]bool {
	var t [256]bool
	for _, c := range []byte(chars) {
		t[c] = true
	}
	return &t
}

// skip returns the end of a run of at most limit characters of the set, from i
// on.
func skip(text []byte, i, limit int, set *[256]bool) int {
	for end := min(len(text), i+limit); i < end && set[text[i]]; i++ {
	}
	return i
}

// assigned returns the start of the value assigned to a name that continues at
// i, or -1.
func assigned(text []byte, i int) int {
	i = skip(text, i, 20, inName)
	i = skip(text, i, 4, behind)
	if i == len(text) {
		return -1
	}
	set := before
	switch c := text[i]; c {
	case '=', '>', ',':
		i++
		if c == '=' {
			set = beforeOnLine // a trailing = is base64 padding
		}
		if c == '=' && i < len(text) && text[i] == '>' {
			i++
		}
	case ':':
		i = skip(text, i, 3, charColon)
		if i < len(text) && text[i] == '=' {
			i++
		}
	case '|', '?':
		if i+1 == len(text) || text[i+1] != '|' && text[i+1] != '=' {
			return -1
		}
		i += 2
	default:
		return -1
	}
	return skip(text, i, 5, set)
}

var charColon = charset(":")

// maxValue is longer than any key: longer values are data.
const maxValue = 1024

// A name is the identifier that contains a keyword.
type name struct {
	span
	// loose means that a value may follow without a sign: the name is a
	// command-line flag, or a command sets it.
	loose bool
}

var inWord = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

// nameAround returns the name around the keyword at..end.
func nameAround(text []byte, at, end int) name {
	for limit := max(0, at-40); at > limit && inWord[text[at-1]]; at-- {
	}
	n := name{span: span{at, skip(text, end, 20, inWord)}}
	if n.loose = text[at] == '-' && (at == 0 || text[at-1] <= ' ' || text[at-1] == '"' || text[at-1] == '\''); !n.loose {
		for _, command := range setters {
			n.loose = n.loose || bytes.HasSuffix(text[:at], command)
		}
	}
	return n
}

var setters = [][]byte{[]byte("ENV "), []byte("setx "), []byte("setenv ")}

// valueInProse returns the start of the value that follows a name without a sign, as in
// a sentence or a command, or -1.
func (n name) valueInProse(text []byte) int {
	i := n.end
	if i+1 >= len(text) || text[i] != ' ' {
		return -1
	}
	i++
	if !n.loose {
		verb := 0
		for _, v := range verbs {
			if bytes.HasPrefix(text[i:], v) {
				verb = len(v)
			}
		}
		if verb == 0 {
			return -1
		}
		i += verb
	}
	if i = skip(text, i, 2, before); i == len(text) || text[i] == '-' {
		return -1
	}
	return i
}

var verbs = [][]byte{[]byte("is "), []byte("is: "), []byte("was "), []byte("to ")}

// isPlain reports whether the name indicates that its value is not a secret.
func (n name) isPlain(text []byte) bool { return isPlainName(wordsOf(string(text[n.start:n.end]))) }

// isStrong reports whether the name indicates a secret even if the value looks
// like a hash or a UUID.
func (n name) isStrong(text []byte) bool {
	joined := unparted.Replace(strings.ToLower(string(text[max(0, n.start-8):n.end])))
	return slices.ContainsFunc(strongNames, func(s string) bool { return strings.Contains(joined, s) }) &&
		!slices.ContainsFunc(hashNames, func(s string) bool { return strings.Contains(joined, s) })
}

var (
	unparted    = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")
	strongNames = []string{"apikey", "appkey", "apitoken", "secret", "privatekey", "authtoken", "accesstoken", "password", "encryptionkey", "signingkey", "masterkey"}
	hashNames   = []string{"sha", "hash", "digest", "checksum", "commit", "fingerprint", "public"}
)

// assignment returns the secret assigned to the name with the keyword
// at..nameEnd.
func assignment(text []byte, at, nameEnd int) (secret span, ok bool) {
	start, spoken := assigned(text, nameEnd), false
	if start < 0 {
		if start = nameAround(text, at, nameEnd).valueInProse(text); start < 0 {
			return span{}, false
		}
		spoken = true
	}
	end := skip(text, start, maxValue, inValue)
	for spoken && end > start && text[end-1] == '.' { // end of a sentence
		end--
	}
	value := text[start:end]
	if len(value) < 10 || spoken && len(value) < 14 || len(value) == maxValue || end < len(text) && text[end] != '.' && !ends[text[end]] || !random(value) {
		return span{}, false
	}
	n := nameAround(text, at, nameEnd)
	if entropy(value) <= leastEntropy(value) || isHash(value) && !n.isStrong(text) || isSum(text, start) || n.isPlain(text) {
		return span{}, false
	}
	quoted := bytes.IndexByte([]byte("\"'`"), text[start-1]) >= 0
	return span{start, end}, !isWords(value) && !inList(text, start, quoted) && (quoted || !isName(value))
}

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
	return slices.Contains(sumNames, strings.ToLower(string(text[from:end])))
}

var sumNames = []string{"h1", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "hash", "integrity", "checksum", "digest", "etag", "sum", "commit", "rev", "revision"}

// leastEntropy returns the entropy that a random value exceeds. It is lower for
// hexadecimal digits.
func leastEntropy(value []byte) float64 {
	if isHex(value) {
		return 2.9
	}
	return 3.5
}

// isName reports whether an unquoted value is a name in source code. These
// parts hardly occur by chance.
func isName(value []byte) bool {
	return slices.ContainsFunc(nameParts, func(part []byte) bool { return bytes.Contains(value, part) })
}

var nameParts = [][]byte{[]byte("Key"), []byte("Token"), []byte("Secret"), []byte("_key"), []byte("_token"), []byte("_secret")}

// random reports whether a value looks generated and is not of a common
// harmless form.
func random(value []byte) bool {
	letters, digits, changes, others := 0, 0, 0, 0
	slashes, dots := 0, 0
	class := byte(0)
	for _, c := range value {
		var now byte
		switch {
		case '0' <= c && c <= '9':
			digits++
			now = '0'
		case 'a' <= c && c <= 'z':
			letters++
			now = 'a'
		case 'A' <= c && c <= 'Z':
			letters++
			now = 'A'
		case c == '+' || c == '/':
			slashes++
			now = '/'
		default:
			now = '.'
			if c != '=' {
				others++
			}
			if c == '.' {
				dots++
			}
		}
		if now != class {
			changes++
			class = now
		}
	}
	switch {
	case digits == 0 || letters < 2 || digits == 1 && changes*3 < len(value):
		return false
	case slashes > 0 && others > 0: // a path, not base64
		return false
	case changes*6 < len(value): // words, not random
		return false
	case dots > 0 && !isTokenWithDots(value, dots):
		return false
	}
	return !isID(value)
}

// isWords reports whether a value is a name in camel case: most of it consists
// of words of four or more letters with a vowel.
func isWords(value []byte) bool {
	inWords, word, vowels, capitals := 0, 0, 0, 0
	end := func() {
		if word >= 4 && vowels > 0 {
			inWords += word
		}
		word, vowels = 0, 0
	}
	for _, c := range value {
		switch {
		case 'a' <= c && c <= 'z':
			word++
		case 'A' <= c && c <= 'Z':
			capitals++
			end()
			word = 1
		case c == '_' || c == '.' || c == '-' || isAlnum(c):
			end()
		default:
			return false
		}
		if bytes.IndexByte([]byte("aeiouAEIOU"), c) >= 0 {
			vowels++
		}
	}
	end()
	return capitals > 0 && 2*inWords >= len(value)
}

// inList reports whether a value is the next element of a list: after a comma,
// and either unquoted or on its own line.
func inList(text []byte, start int, quoted bool) bool {
	lines := 0
	for start > 0 && (text[start-1] <= ' ' || quoted && bytes.IndexByte([]byte("\"'`"), text[start-1]) >= 0) {
		if start--; text[start] == '\n' {
			lines++
		}
	}
	return start > 0 && text[start-1] == ',' && (!quoted || lines > 0)
}

// isTokenWithDots distinguishes tokens in parts (a JWT, a key with a version)
// from member access, file names and versions.
func isTokenWithDots(value []byte, dots int) bool {
	longest := 0
	for part := range bytes.SplitSeq(value, []byte{'.'}) {
		longest = max(longest, len(part))
	}
	return dots <= 3 && longest >= 16
}

// isHash reports whether a value has the form of a hash or a UUID.
func isHash(value []byte) bool {
	return isUUID(value) || isHex(value) && (len(value) <= 16 || len(value) >= 40)
}

// isID reports whether a value identifies something that is not a secret: a
// call, a message, a request, a checksum, a date. Long runs of hexadecimal
// digits are data.
func isID(value []byte) bool {
	return slices.ContainsFunc(identities, func(prefix []byte) bool { return bytes.HasPrefix(value, prefix) }) ||
		len(value) > 128 && isHex(value) || hasDate(value)
}

// hasDate finds 2025-12-09, also within names.
func hasDate(value []byte) bool {
	for i := 0; i+10 <= len(value); i++ {
		d := value[i : i+10]
		if d[4] == '-' && d[7] == '-' && (d[0] == '1' || d[0] == '2') && allDigits(d[:4]) && allDigits(d[5:7]) && allDigits(d[8:]) {
			return true
		}
	}
	return false
}

var identities = [][]byte{
	[]byte("call_"), []byte("toolu_"), []byte("fc_"), []byte("msg_"), []byte("rs_"), []byte("resp_"), []byte("req_"),
	[]byte("chatcmpl-"), []byte("srvtoolu_"), []byte("gen-"), []byte("sha1-"), []byte("sha256-"), []byte("sha384-"), []byte("sha512-"), []byte("h1="),
	[]byte("0x"), []byte("claude-"), []byte("gpt-"), []byte("gemini-"),
}

func isHex(b []byte) bool { return skip(b, 0, len(b), inHex) == len(b) }

func allDigits(b []byte) bool { return len(bytes.Trim(b, "0123456789")) == 0 }

func isUUID(b []byte) bool {
	return len(b) == 36 && b[8] == '-' && b[13] == '-' && b[18] == '-' && b[23] == '-' &&
		isHex(b[:8]) && isHex(b[9:13]) && isHex(b[14:18]) && isHex(b[19:23]) && isHex(b[24:])
}

// password returns the value assigned to a name with the password keyword
// at..nameEnd. It needs no randomness, because people make passwords up.
func password(text []byte, at, nameEnd int) (secret span, ok bool) {
	n := nameAround(text, at, nameEnd)
	i := skip(text, nameEnd, 1, behind) // closing quote of a key
	i = skip(text, i, 2, charSpace)
	if i < len(text) && (text[i] == '=' || text[i] == ':') {
		n.loose = n.loose || text[i] == '=' && i == nameEnd && n.isVariable(text)
		i = skip(text, i, 2, charAssign)
		i = skip(text, i, 2, charSpace)
	} else if i = n.valueInProse(text); i < 0 || n.end != nameEnd {
		return span{}, false
	}
	if i == len(text) {
		return span{}, false
	}
	var end int
	if quote := text[i]; quote == '"' || quote == '\'' {
		i++
		for end = i; end < len(text) && end-i < 80 && text[end] != quote && text[end] > ' '; end++ {
		}
		if end == len(text) || text[end] != quote {
			return span{}, false
		}
	} else {
		end = skip(text, i, 80, inPassword)
		for end > i && (text[end-1] == '.' || text[end-1] == ':') {
			end--
		}
		if end < len(text) && text[end] != '.' && text[end] != ':' && !ends[text[end]] || !n.loose && isWords(text[i:end]) {
			return span{}, false
		}
	}
	return span{i, end}, madeUp(text[i:end], n.loose)
}

// isVariable reports whether the name is that of an environment variable: all
// capitals.
func (n name) isVariable(text []byte) bool {
	return bytes.Equal(text[n.start:n.end], bytes.ToUpper(text[n.start:n.end]))
}

var (
	charSpace  = charset(" \t")
	charAssign = charset(":=")
)

// madeUp reports whether a value can be a password rather than a name, a call,
// a variable or an example. If only a password can occur there, it may be a
// word.
func madeUp(value []byte, word bool) bool {
	if len(value) < 8 || len(value) > 64 {
		return false
	}
	letters, digits := 0, 0
	for _, c := range value {
		switch {
		case c >= 0x80, bytes.IndexByte([]byte("(){}<>[];,|\\"), c) >= 0:
			return false
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			letters++
		}
	}
	if letters < 3 || digits < 1 && !word || entropy(value) < 2.5 || isHash(value) || isID(value) {
		return false
	}
	if value[0] == '$' || value[0] == '%' || value[0] == '@' || value[0] == '/' || value[0] == '.' {
		return false
	}
	lower := bytes.ToLower(value)
	for _, word := range notPasswords {
		if bytes.Contains(lower, word) {
			return false
		}
	}
	// this.config.password2, user.name: member access
	return bytes.IndexByte(value, '.') < 0 || bytes.ContainsAny(value, "!@#%^*~?$&")
}

var notPasswords = [][]byte{
	[]byte("example"), []byte("changeme"), []byte("password"), []byte("passwd"), []byte("your"), []byte("xxxx"), []byte("redacted"), []byte("placeholder"), []byte("process.env"), []byte("getenv"), []byte("os.environ"), []byte("hash"), []byte("****"), []byte("secret"), []byte("://"),
}
