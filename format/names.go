package format

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxNameBytes is the longest file name that common file systems take.
const maxNameBytes = 255

// ProjectDir is the name of the folder that holds the sessions of a working
// directory: "/home/u/p" gives "--home-u-p--", as pi names it. cwd must be
// absolute and clean, but for separators at its end, which do not count.
//
// pi's names are not injective ("/a/b" and "/a-b" share a folder), so the header's
// cwd decides which project a session belongs to. A name that would exceed 255
// bytes, which pi cannot create, keeps its beginning and ends in a hash of cwd, so
// that such folders stay apart (F72).
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

// trimTrailingSeparators leaves roots alone. A backslash separates only in paths
// of Windows; elsewhere it is part of a name.
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

// FileSuffix ends the names of session files.
const FileSuffix = ".jsonl"

// FileName is the name of a new session's file: 2026-02-03T22-52-06-410Z_<id>.jsonl.
func FileName(t time.Time, id string) string { return fileStamp(t) + "_" + id + FileSuffix }

// fileStamp is a time in a form that every file system takes.
func fileStamp(t time.Time) string {
	return strings.NewReplacer(":", "-", ".", "-").Replace(FormatTime(t))
}

// ParseFileName reads what FileName wrote, with or without the extension: people
// leave it out, and a folder that belongs to a session has none. ok is false for
// every other name. The id is what the name says, which need not be a valid one: a
// copy may be called <id> (1).
func ParseFileName(name string) (t time.Time, id string, ok bool) {
	stamp, id, _ := strings.Cut(strings.TrimSuffix(name, FileSuffix), "_")
	clock := len(stamp) - len("22-52-06-410Z")
	if clock < 0 || id == "" {
		return time.Time{}, "", false
	}
	written := []byte(stamp)
	written[clock+2], written[clock+5], written[clock+8] = ':', ':', '.'
	t, ok = ParseTime(string(written))
	if !ok || fileStamp(t) != stamp {
		return time.Time{}, "", false
	}
	return t, id, true
}

// ValidSessionID reports whether id may name a session: letters, digits, '.', '_'
// and '-', of which the first and the last must be a letter or a digit. It keeps
// ids out of other folders, because an id becomes part of a file name.
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

// CleanName makes a display name fit for one line: a run of line breaks becomes
// one space, a tab a space, other control characters go, and white space at the
// ends goes as JavaScript's trim removes it. An empty result clears the name.
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
			// Copies bytes, not r, so that a lone surrogate stays what it is (F12).
			b.WriteString(s[i : i+size])
			inBreak = false
		}
		i += size
	}
	return TrimName(b.String())
}

// TrimName removes white space from the ends of a name that was read, as
// JavaScript's trim does: a byte order mark is white space, U+0085 is not.
func TrimName(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\ufeff' || unicode.IsSpace(r) && r != '\u0085'
	})
}
