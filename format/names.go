package format

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxNameBytes is the longest file name that common file systems accept.
const maxNameBytes = 255

// ProjectDir returns the name of the directory that holds the sessions of a
// working directory: "/home/u/p" becomes "--home-u-p--", as pi names it. cwd
// must be absolute and clean, except for trailing separators, which are
// ignored.
//
// pi's names are not injective ("/a/b" and "/a-b" share a directory), so the
// cwd in the header determines which project a session belongs to. A name
// longer than 255 bytes, which pi cannot create, is truncated and ends in a
// hash of cwd, so that such directories stay distinct (F72).
func ProjectDir(cwd string) string {
	cwd = trimTrailingSeparators(cwd)
	path := cwd
	if path != "" && (path[0] == '/' || path[0] == '\\') {
		path = path[1:]
	}
	path = strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(path)
	name := "--" + path + "--"
	if len(name) <= maxNameBytes {
		return name
	}
	sum := sha256.Sum256([]byte(cwd))
	tail := "-" + hex.EncodeToString(sum[:16]) + "--"
	cut := maxNameBytes - len("--") - len(tail)
	for cut > 0 && !utf8.RuneStart(path[cut]) {
		cut--
	}
	return "--" + path[:cut] + tail
}

// trimTrailingSeparators removes trailing separators, except from roots. A
// backslash is a separator only in Windows paths; otherwise it is part of a
// name.
func trimTrailingSeparators(cwd string) string {
	separators, root := "/", 1
	switch {
	case len(cwd) >= 2 && cwd[1] == ':':
		separators, root = `/\`, len(`C:\`)
	case strings.HasPrefix(cwd, `\`):
		separators = `/\`
	}
	for len(cwd) > root && strings.ContainsRune(separators, rune(cwd[len(cwd)-1])) {
		cwd = cwd[:len(cwd)-1]
	}
	return cwd
}

// FileSuffix is the suffix of session files.
const FileSuffix = ".jsonl"

// FileName returns the name of a new session's file:
// 2026-02-03T22-52-06-410Z_<id>.jsonl.
func FileName(t time.Time, id string) string { return fileStamp(t) + "_" + id + FileSuffix }

// fileStamp formats a time so that every file system accepts it.
func fileStamp(t time.Time) string {
	return strings.NewReplacer(":", "-", ".", "-").Replace(FormatTime(t))
}

// ParseFileName parses a name that FileName returned, with or without the
// suffix: people omit it, and a directory that belongs to a session has none.
// ok is false for any other name. The id need not be valid: a copy may be
// called <id> (1).
func ParseFileName(name string) (t time.Time, id string, ok bool) {
	stamp, id, _ := strings.Cut(strings.TrimSuffix(name, FileSuffix), "_")
	clock := len(stamp) - len("22-52-06-410Z")
	if clock < 0 || id == "" {
		return time.Time{}, "", false
	}
	if t, ok := parseStamp(stamp); ok {
		return t, id, true
	}
	written := []byte(stamp)
	written[clock+2], written[clock+5], written[clock+8] = ':', ':', '.'
	t, ok = ParseTime(string(written))
	if !ok || fileStamp(t) != stamp {
		return time.Time{}, "", false
	}
	return t, id, true
}

// parseStamp parses a stamp with a year of four digits, as all files of our time
// have it. It is for lists of many files; ok is false if the stamp needs another
// look.
func parseStamp(s string) (t time.Time, ok bool) {
	const form = "0000-00-00T00-00-00-000Z"
	if len(s) != len(form) {
		return t, false
	}
	var parts [7]int
	part := 0
	for i, c := range []byte(form) {
		switch {
		case c == '0' && s[i] >= '0' && s[i] <= '9':
			parts[part] = 10*parts[part] + int(s[i]-'0')
		case c != '0' && s[i] == c:
			part++
		default:
			return t, false
		}
	}
	t = time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5], parts[6]*int(time.Millisecond), time.UTC)
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	return t, [...]int{year, int(month), day, hour, minute, second} == [6]int(parts[:6]) // no 30 February
}

// ValidSessionID reports whether id is a valid session id: letters, digits,
// '.', '_' and '-', starting and ending with a letter or a digit. An id becomes
// part of a file name, so it must not lead to another directory.
func ValidSessionID(id string) bool {
	if id == "" || !alphanumeric(id[0]) || !alphanumeric(id[len(id)-1]) {
		return false
	}
	for _, c := range []byte(id) {
		if !alphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// CleanName makes a display name fit on one line. A run of line breaks becomes
// one space, a tab becomes a space, other control characters are removed, and
// white space at the ends is removed as by JavaScript's trim. An empty result
// clears the name.
func CleanName(s string) string {
	var b strings.Builder
	inBreak := false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r' || r == '\n' || r == '\u2028' || r == '\u2029':
			if !inBreak {
				b.WriteByte(' ')
			}
			inBreak = true
		case r == '\t':
			b.WriteByte(' ')
			inBreak = false
		case r < 0x20 || r >= 0x7f && r < 0xa0:
		default:
			// Copy bytes, not r, to preserve a lone surrogate (F12).
			b.WriteString(s[i : i+size])
			inBreak = false
		}
		i += size
	}
	return TrimName(b.String())
}

// TrimName removes white space from the ends of a name as JavaScript's trim
// does: a byte order mark is white space, U+0085 is not.
func TrimName(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\ufeff' || unicode.IsSpace(r) && r != '\u0085'
	})
}
