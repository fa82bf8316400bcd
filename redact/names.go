package redact

import (
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Names are identifying names to hide in addition to secrets. The zero value
// hides none.
type Names struct {
	// Home is the user's home directory, in the form of the system. It is also
	// found in names of session directories (-home-alice-).
	Home string
	// User and Host are found as whole words, in any case.
	User, Host string
	// Emails hides all e-mail addresses.
	Emails bool
	// Words are found as whole words, in any case.
	Words []string
}

const minName = 3

// LocalNames returns those of this machine and user, including email addresses.
// It omits values that are unknown or too short.
func LocalNames() Names {
	n := Names{Emails: true}
	if home, err := os.UserHomeDir(); err == nil && len(strings.Trim(home, `/\`)) >= minName {
		n.Home = home
	}
	if u, err := user.Current(); err == nil {
		name := u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
		// root occurs in every session and identifies no person.
		if len(name) >= minName && name != "root" {
			n.User = name
		}
	}
	if host, err := os.Hostname(); err == nil && len(host) >= minName && host != "localhost" {
		n.Host = host
	}
	return n
}

const nameRank = 1 << 21

func (e *engine) addNames(n Names) error {
	if home := strings.TrimRight(n.Home, `/\`); home != "" {
		if len(home) < minName {
			return &ValueError{"home", ErrShort}
		}
		k := &known{kind: ByName, label: "home", value: home, rank: nameRank - 1, bounded: true}
		slashed := filepath.ToSlash(home)
		dashed := strings.NewReplacer("/", "-", ":", "-", `\`, "-").Replace(home)
		for _, form := range []string{home, slashed, strings.ReplaceAll(home, "/", `\`), dashed} {
			e.word(form, true, k)
		}
	}
	for _, name := range []struct{ label, value string }{{"user", n.User}, {"host", n.Host}} {
		if name.value == "" {
			continue
		}
		if err := e.addName(name.label, name.value); err != nil {
			return err
		}
	}
	for _, w := range n.Words {
		if err := e.addName("word", w); err != nil {
			return err
		}
	}
	if n.Emails {
		p := newPattern(Rule{ID: "email", Regex: email().String(), Keywords: []string{"@"}, Allowlists: []Allowlist{{Regexes: []string{`^git@`}}}}, len(patterns()))
		p.kind, p.rank = ByName, nameRank
		e.addPattern(p)
	}
	return nil
}

func (e *engine) addName(label, value string) error {
	if len(value) < minName {
		return &ValueError{label, ErrShort}
	}
	k := &known{kind: ByName, label: label, value: strings.ToLower(value), rank: nameRank, bounded: true}
	// Letters beyond ASCII are folded by listing their forms.
	for _, form := range []string{strings.ToLower(value), value, strings.ToUpper(value)} {
		e.word(lowerASCII(form), false, k)
	}
	return nil
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

var email = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b`)
})
