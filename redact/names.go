package redact

import (
	"bytes"
	"os"
	"os/user"
	"path/filepath"
	"strings"
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

func (e *engine) addNames(n Names, index map[string]int) error {
	if home := strings.TrimRight(n.Home, `/\`); home != "" {
		if len(home) < minName {
			return &ValueError{"home", ErrShort}
		}
		k := &known{kind: ByName, label: "home", value: home, rank: nameRank - 1, bounded: true}
		slashed := filepath.ToSlash(home)
		dashed := strings.NewReplacer("/", "-", ":", "-", `\`, "-").Replace(home)
		for _, form := range []string{home, slashed, strings.ReplaceAll(home, "/", `\`), dashed} {
			e.word(index, form, true, k)
		}
	}
	for _, name := range []struct{ label, value string }{{"user", n.User}, {"host", n.Host}} {
		if name.value == "" {
			continue
		}
		if err := e.addName(index, name.label, name.value); err != nil {
			return err
		}
	}
	for _, w := range n.Words {
		if err := e.addName(index, "word", w); err != nil {
			return err
		}
	}
	e.emails = n.Emails
	return nil
}

func (e *engine) addName(index map[string]int, label, value string) error {
	if len(value) < minName {
		return &ValueError{label, ErrShort}
	}
	k := &known{kind: ByName, label: label, value: strings.ToLower(value), rank: nameRank, bounded: true}
	// Letters beyond ASCII are folded by listing their forms.
	for _, form := range []string{strings.ToLower(value), value, strings.ToUpper(value)} {
		e.word(index, lowerASCII(form), false, k)
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

var (
	inLocal  = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
	inDomain = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
)

func (e *engine) scanEmails(s *scratch, text []byte) {
	for i := 0; ; i++ {
		next := bytes.IndexByte(text[i:], '@')
		if next < 0 {
			return
		}
		i += next
		if address, ok := emailAt(text, i); ok {
			s.emit(text, match{span: address, kind: ByName, label: "email", rank: nameRank})
		}
	}
}

// emailAt returns the address around an @. git@host is not one.
func emailAt(text []byte, at int) (span, bool) {
	const longest = 64
	start := at
	for start > 0 && at-start < longest && inLocal[text[start-1]] {
		start--
	}
	for start < at && !isAlnum(text[start]) {
		start++
	}
	end := skip(text, at+1, 4*longest, inDomain)
	for end > at && !isAlnum(text[end-1]) {
		end--
	}
	if start == at || end <= at+1 || string(text[start:at]) == "git" {
		return span{}, false
	}
	domain := string(text[at+1 : end])
	top := domain[strings.LastIndexByte(domain, '.')+1:]
	if len(top) < 2 || len(top) == len(domain) || strings.Trim(strings.ToLower(top), "abcdefghijklmnopqrstuvwxyz") != "" {
		return span{}, false
	}
	return span{start, end}, true
}
