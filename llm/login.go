package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pith-sessions/pith/sessiondir"
)

// A credential is pi's credential for a provider: a key, or the tokens of a
// login.
type credential struct {
	Type    string               `json:"type"`
	Key     concealed            `json:"key"`
	Access  concealed            `json:"access"`
	Expires int64                `json:"expires"` // milliseconds since 1970
	Env     map[string]concealed `json:"env"`
}

// logins holds the credentials of pi's auth.json. They are read, never renewed
// or written: only the program that logged in may do that.
type logins struct {
	env  sessiondir.Environment
	path string

	mu     sync.Mutex // guards the fields below
	stored map[string]credential
	ran    map[string]concealed // output of key commands, by provider
}

func openLogins(env sessiondir.Environment) (*logins, []Warning) {
	l := &logins{env: env, path: filepath.Join(env.AgentDir(), "auth.json"), ran: map[string]concealed{}}
	stored, warnings := readLogins(l.path)
	l.stored = stored
	return l, warnings
}

func readLogins(path string) (map[string]credential, []Warning) {
	object, warning := readObject(path)
	if warning != nil {
		return nil, []Warning{*warning}
	}
	var warnings []Warning
	out := map[string]credential{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var c credential
		if json.Unmarshal(object[name], &c) != nil || c.Type != "api_key" && c.Type != "oauth" {
			warnings = append(warnings, Warning{File: path, Text: fmt.Sprintf("the entry for %q is neither a key nor a login; ignoring it", name)})
			continue
		}
		out[name] = c
	}
	return out, warnings
}

// of returns the credential of a provider, if it is not empty.
func (l *logins) of(provider string) (credential, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.stored[provider]
	return c, ok && (c.Key.plain() != "" || c.Access.plain() != "")
}

// lookup returns a function that finds variables: those stored with the
// credential, then those of the environment.
func (l *logins) lookup(provider string) func(string) string {
	return func(name string) string {
		l.mu.Lock()
		stored := l.stored[provider].Env[name].plain()
		l.mu.Unlock()
		if stored != "" {
			return stored
		}
		return l.env.Var(name)
	}
}

func (l *logins) secret(provider string, c credential, now func() time.Time) (Secret, error) {
	if c.Type == "oauth" {
		if _, err := l.token(provider, now); err != nil {
			return Secret{}, err
		}
		return SecretFunc(func() (string, error) { return l.token(provider, now) }), nil
	}
	v := value{text: c.Key.plain(), lookup: l.lookup(provider), what: fmt.Sprintf("the key of provider %q in %s", provider, l.path)}
	if missing := v.missing(); len(missing) > 0 {
		_, err := v.resolve()
		return Secret{}, err
	}
	return SecretFunc(func() (string, error) { return l.once(provider, v) }), nil
}

// once runs the command of a key at most once.
func (l *logins) once(provider string, v value) (string, error) {
	l.mu.Lock()
	ran, ok := l.ran[provider]
	l.mu.Unlock()
	if ok {
		return ran.plain(), nil
	}
	key, err := v.resolve()
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ran[provider] = conceal(key)
	return key, nil
}

// token returns the token of a login. If it has expired, pi may have renewed
// it, so the file is read again.
func (l *logins) token(provider string, now func() time.Time) (string, error) {
	l.mu.Lock()
	c := l.stored[provider]
	l.mu.Unlock()
	if valid(c, now()) {
		return c.Access.plain(), nil
	}
	again, _ := readLogins(l.path)
	c, ok := again[provider]
	if !ok || c.Type != "oauth" || !valid(c, now()) {
		return "", fmt.Errorf("%w for %s: the login in %s has expired; start pi to renew it, or log in again with /login", ErrNoKey, provider, l.path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stored[provider] = c
	return c.Access.plain(), nil
}

func valid(c credential, now time.Time) bool {
	return c.Access.plain() != "" && (c.Expires == 0 || now.UnixMilli() < c.Expires)
}
