package lookup

import (
	"runtime"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
)

// Hint is a command line of pith that can be copied: with the session folder
// that this run was told to use, and quoted (pitfall 177).
func (a *Places) Hint(args ...string) string {
	words := append([]string{"pith"}, args...)
	if a.SessionDir != "" && a.SessionDir != a.mirror {
		words = append(words, "--session-dir", a.SessionDir)
	}
	return a.place() + Command(words...)
}

// Command is a command line that can be copied, whatever its words hold.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// Elsewhere reports whether this run was told where sessions are.
func (a *Places) Elsewhere() bool { return a.SessionDir != "" || a.place() != "" }

// place is what of the environment says where sessions are, as a shell takes it
// before a command: it may have been set for this run alone.
func (a *Places) place() string {
	if a.SessionDir != "" || runtime.GOOS == "windows" {
		return ""
	}
	for _, name := range []string{"PITH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_SESSIONS_DIR", "PI_CODING_AGENT_DIR"} {
		if dir := a.Env.Getenv(name); dir != "" {
			return name + "=" + quote(dir) + " "
		}
	}
	return ""
}

// quote makes one word of a shell of s.
func quote(s string) string {
	if s != "" && strings.IndexFunc(s, needsQuotes) < 0 {
		return s
	}
	if runtime.GOOS == "windows" {
		return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func needsQuotes(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r >= 0x80:
		return false
	case strings.ContainsRune("@%+=:,./-_", r):
		return false
	case r == '\\':
		return runtime.GOOS != "windows"
	}
	return true
}

// Homely is a path with ~ for the user's folder.
func (a *Places) Homely(path string) string { return humanize.Path(a.Env.Home(), path) }
