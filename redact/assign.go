package redact

import "bytes"

// This file finds what is assigned to a name that speaks of a secret. The rule of
// gitleaks for it, generic-api-key, has keywords that stand in every session many
// times a kilobyte ("key", "token"), so it is written out here instead of run as an
// expression. It is the only place where randomness alone makes a finding, and it
// is stricter than the rule: sessions are full of hashes and ids.

// assignRule is the rule whose keywords and exceptions are used, passRule the one
// for passwords.
const (
	assignRule = "generic-api-key"
	passRule   = "password"
)

var (
	inName  = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.- \t")
	behind  = charset("'\"` \t\r\n])")
	before  = charset("'\"` \t\r\n=")
	inValue = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=+/-")
	ends    = charset("'\"` \t\r\n;,)}]<&|\\")
	// inPassword is what an unquoted password may hold.
	inPassword = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=+/-!@#%^*~?:$&")
)

func charset(chars string) *[256]bool {
	var t [256]bool
	for _, c := range []byte(chars) {
		t[c] = true
	}
	return &t
}

// skip is the end of at most limit characters of the set from i on.
func skip(text []byte, i, limit int, set *[256]bool) int {
	for end := min(len(text), i+limit); i < end && set[text[i]]; i++ {
	}
	return i
}

// assigned is where the value begins that is assigned to a name which goes on at
// i; -1 when nothing is.
func assigned(text []byte, i int) int {
	i = skip(text, i, 20, inName)
	i = skip(text, i, 4, behind)
	if i == len(text) {
		return -1
	}
	switch c := text[i]; c {
	case '=', '>', ',':
		i++
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
	return skip(text, i, 5, before)
}

var charColon = charset(":")

// maxValue is longer than any key: what goes on so long is data.
const maxValue = 1024

// assignment is the secret that is assigned to the name that ends, with its
// keyword, at nameEnd.
func assignment(text []byte, nameEnd int) (secret span, ok bool) {
	start := assigned(text, nameEnd)
	if start < 0 {
		return span{}, false
	}
	end := skip(text, start, maxValue, inValue)
	value := text[start:end]
	if len(value) < 10 || len(value) == maxValue || end < len(text) && !ends[text[end]] || !random(value) {
		return span{}, false
	}
	if c := text[start-1]; c != '"' && c != '\'' && c != '`' && (isWords(value) || afterComma(text, start)) {
		return span{}, false
	}
	return span{start, end}, true
}

// random reports whether a value looks like one that a machine made up, and like
// none of those that stand everywhere.
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
	case changes*6 < len(value): // words, not chance
		return false
	case dots > 0 && !isTokenWithDots(value, dots):
		return false
	}
	return !isIdentity(value)
}

// isWords reports whether a value is a name in camel case, which code assigns
// without quotes: most of it are words that begin with a capital letter.
func isWords(value []byte) bool {
	inWords, word, capitals := 0, 0, 0
	for i, c := range value {
		switch {
		case 'a' <= c && c <= 'z':
			word++
			if i+1 == len(value) && word >= 4 {
				inWords += word
			}
			continue
		case c == '+' || c == '/' || c == '=':
			return false
		case 'A' <= c && c <= 'Z':
			capitals++
		}
		if word >= 4 {
			inWords += word
		}
		word = 0
		if 'A' <= c && c <= 'Z' {
			word = 1
		}
	}
	return capitals > 0 && 2*inWords >= len(value)
}

// afterComma reports whether a value is the next of a list.
func afterComma(text []byte, start int) bool {
	for start > 0 && text[start-1] <= ' ' {
		start--
	}
	return start > 0 && text[start-1] == ','
}

// isTokenWithDots tells tokens in parts (a JWT, a key with a version) from member
// access, file names and versions.
func isTokenWithDots(value []byte, dots int) bool {
	longest := 0
	for part := range bytes.SplitSeq(value, []byte{'.'}) {
		longest = max(longest, len(part))
	}
	return dots <= 3 && longest >= 16
}

// isIdentity reports whether a value names something that is no secret: a hash of
// git, a UUID, the id of a call, a message or a request, a date.
func isIdentity(value []byte) bool {
	switch len(value) {
	case 36:
		if isUUID(value) {
			return true
		}
	case 40, 64, 96, 128:
		if isHex(value) {
			return true
		}
	}
	if len(value) <= 16 && isHex(value) {
		return true
	}
	for _, prefix := range identities {
		if bytes.HasPrefix(value, prefix) {
			return true
		}
	}
	return hasDate(value)
}

// hasDate finds 2025-12-09, also in the midst of names.
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

func isHex(b []byte) bool {
	for _, c := range b {
		if hexDigit[c] == 0 {
			return false
		}
	}
	return true
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func isUUID(b []byte) bool {
	return len(b) == 36 && b[8] == '-' && b[13] == '-' && b[18] == '-' && b[23] == '-' &&
		isHex(b[:8]) && isHex(b[9:13]) && isHex(b[14:18]) && isHex(b[19:23]) && isHex(b[24:])
}

// password is the value that is assigned to a name that ends, with the word for a
// password, at nameEnd. It needs no randomness: people make passwords up.
func password(text []byte, nameEnd int) (secret span, ok bool) {
	i := skip(text, nameEnd, 1, behind) // the quote of a key
	i = skip(text, i, 2, charSpace)
	if i == len(text) || text[i] != '=' && text[i] != ':' {
		return span{}, false
	}
	i = skip(text, i, 2, charAssign)
	i = skip(text, i, 2, charSpace)
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
		if end < len(text) && !ends[text[end]] || isWords(text[i:end]) {
			return span{}, false
		}
	}
	return span{i, end}, madeUp(text[i:end])
}

var (
	charSpace  = charset(" \t")
	charAssign = charset(":=")
)

// madeUp reports whether a value can be a password rather than a name, a call, a
// variable or an example.
func madeUp(value []byte) bool {
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
	if letters < 3 || digits < 1 || entropy(value) < 2.5 || isIdentity(value) {
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
