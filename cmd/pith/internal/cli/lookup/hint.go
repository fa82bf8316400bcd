package lookup

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
)

// Hint returns a pith command line that can be copied: quoted, and with the
// --session-dir of this run (pitfall 177). The environment is not repeated.
func (a *Places) Hint(args ...string) string {
	words := append([]string{"pith"}, args...)
	if a.SessionDir != "" {
		words = append(words, "--session-dir", a.SessionDir)
	}
	return Command(words...)
}

// Command returns a quoted command line that can be copied.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// HasCustomDir reports whether a flag or the environment sets the session
// directory.
func (a *Places) HasCustomDir() bool {
	names := []string{"PITH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_SESSIONS_DIR", "PI_CODING_AGENT_DIR"}
	return a.SessionDir != "" || slices.ContainsFunc(names, func(name string) bool { return a.Env.Getenv(name) != "" })
}

// quote returns s as one word of a shell. What a terminal would not show as it
// is, such as a line feed in the name of a file, is escaped.
func quote(s string) string {
	if s != "" && strings.IndexFunc(s, needsQuotes) < 0 {
		return s
	}
	if runtime.GOOS == "windows" {
		return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	if !strings.ContainsFunc(s, hidden) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case hidden(r):
			for _, c := range []byte(s[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case r == '\'' || r == '\\':
			b.WriteString(`\` + s[:size])
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return "$'" + b.String() + "'"
}

// hidden reports whether a terminal would not show a character as it is.
func hidden(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

func needsQuotes(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r >= 0x80:
		return hidden(r)
	case strings.ContainsRune("@%+=:,./-_", r):
		return false
	case r == '\\':
		return runtime.GOOS != "windows"
	}
	return true
}

// ShortPath returns path with ~ for the user's home directory.
func (a *Places) ShortPath(path string) string { return humanize.Path(a.Env.Home(), path) }
