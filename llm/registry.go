package llm

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/sessiondir"
)

// Reasons why a model cannot be used.
var (
	// ErrUnknown means that a model name is invalid or names an unknown
	// provider.
	ErrUnknown = errors.New("unknown model")
	// ErrNoKey means that the provider has no key, or that its login has
	// expired.
	ErrNoKey = errors.New("no API key")
	// ErrProtocol means that the model needs a protocol that this package does
	// not implement.
	ErrProtocol = errors.New("unknown protocol")
)

// A Registry knows the providers and models available to the user, and their
// keys: from pi's auth.json, models.json and the environment, in that order. It
// writes nothing, and runs the commands that the files name for a key only when
// a request needs that key.
type Registry struct {
	// ResponseTimeout is passed in the [Options] of later clients. Set it
	// before the registry is used by several goroutines.
	ResponseTimeout time.Duration

	now       func() time.Time
	logins    *logins
	providers map[string]*provider
	modelFile string
}

// Open reads the files of an environment. It never fails: a missing file counts
// as empty, and a broken part of a file is ignored. The warnings describe
// problems without quoting the files.
func Open(env sessiondir.Environment) (*Registry, []Warning) {
	r := &Registry{now: time.Now, providers: builtin()}
	var warnings []Warning
	r.logins, warnings = openLogins(env)
	file, more := readModels(env)
	r.modelFile = file.path
	for _, name := range slices.Sorted(maps.Keys(file.providers)) {
		r.merge(name, file.providers[name])
	}
	return r, append(warnings, more...)
}

// String returns a description without any content of the registry.
func (r *Registry) String() string {
	return fmt.Sprintf("a registry of %d providers", len(r.providers))
}

// GoString is like String.
func (r *Registry) GoString() string { return r.String() }

// Client returns a client for a model, named by its provider and id:
// "anthropic/claude-sonnet-4-5". The id may contain slashes. A model without a
// description gets its provider's defaults and an unknown context window.
func (r *Registry) Client(name string) (Client, error) {
	p, m, err := r.find(name)
	if err != nil {
		return nil, err
	}
	if m.API != APIAnthropic && m.API != APIOpenAI {
		return nil, fmt.Errorf("%w: %s uses %q; pith supports %s and %s; use this model with pi", ErrProtocol, name, m.API, APIAnthropic, APIOpenAI)
	}
	key, bearer, err := r.key(p, m)
	if err != nil {
		return nil, err
	}
	o := Options{Key: key, Bearer: bearer || p.bearer, Compat: m.compat, Levels: m.levels, Tiers: m.tiers, Now: r.now, ResponseTimeout: r.ResponseTimeout}
	o.Headers = r.headers(p, m)
	if m.API == APIAnthropic {
		return NewAnthropic(m.described(), o), nil
	}
	return NewOpenAI(m.described(), o), nil
}

// Model returns the description of a model, whether or not it has a key.
func (r *Registry) Model(name string) (Model, error) {
	_, m, err := r.find(name)
	if err != nil {
		return Model{}, err
	}
	return m.described(), nil
}

// Models returns the described models that have a key, by provider. It runs no
// command to find out.
func (r *Registry) Models() []Model {
	var out []Model
	for _, name := range slices.Sorted(maps.Keys(r.providers)) {
		p := r.providers[name]
		for _, m := range p.models {
			if m.API != APIAnthropic && m.API != APIOpenAI {
				continue
			}
			if _, _, err := r.key(p, m); err == nil {
				out = append(out, m.described())
			}
		}
	}
	return out
}

func (r *Registry) find(name string) (*provider, *model, error) {
	of, id, ok := strings.Cut(name, "/")
	if !ok || of == "" || id == "" {
		return nil, nil, fmt.Errorf("%w: %q: use PROVIDER/ID, such as anthropic/claude-sonnet-4-5", ErrUnknown, name)
	}
	p := r.providers[of]
	if p == nil {
		return nil, nil, fmt.Errorf("%w: %q: unknown provider %q; known providers: %s; add others in %s",
			ErrUnknown, name, of, strings.Join(slices.Sorted(maps.Keys(r.providers)), ", "), r.modelFile)
	}
	return p, p.model(id), nil
}

// key returns the key of a provider from the same places as pi: a stored login
// or key, the models file, the environment. bearer means that it is a login
// token.
func (r *Registry) key(p *provider, m *model) (_ Secret, bearer bool, err error) {
	if c, ok := r.logins.of(p.id); ok {
		secret, err := r.logins.secret(p.id, c, r.now)
		return secret, c.Type == "oauth", err
	}
	lookup := r.logins.lookup(p.id)
	if p.apiKey.plain() != "" {
		v := value{text: p.apiKey.plain(), lookup: lookup, what: fmt.Sprintf("the key of provider %q in %s", p.id, r.modelFile)}
		if missing := v.missing(); len(missing) > 0 {
			return Secret{}, false, fmt.Errorf("%w for %s: set %s, which %s refers to", ErrNoKey, p.id, strings.Join(missing, " and "), r.modelFile)
		}
		return SecretFunc(v.resolve), false, nil
	}
	for _, name := range p.vars {
		if key := lookup(name); key != "" {
			return NewSecret(key), strings.HasSuffix(name, "_AUTH_TOKEN"), nil
		}
	}
	if p.authorizes(m) || isLocal(m.BaseURL) {
		return Secret{}, false, nil
	}
	return Secret{}, false, r.noKey(p)
}

func (r *Registry) noKey(p *provider) error {
	if len(p.vars) == 0 {
		return fmt.Errorf("%w for %s: set apiKey in %s, or log in with pi (/login)", ErrNoKey, p.id, r.modelFile)
	}
	return fmt.Errorf("%w for %s: set %s, or log in with pi (/login)", ErrNoKey, p.id, p.vars[len(p.vars)-1])
}

// headers returns the headers that the models file sets, the model's taking
// precedence over the provider's.
func (r *Registry) headers(p *provider, m *model) map[string]Secret {
	out := map[string]Secret{}
	for _, set := range []map[string]concealed{p.headers, m.headers} {
		for name, text := range set {
			v := value{text: text.plain(), lookup: r.logins.lookup(p.id), what: fmt.Sprintf("the header %s of provider %q in %s", name, p.id, r.modelFile)}
			out[name] = SecretFunc(v.resolve)
		}
	}
	return out
}

// isLocal reports whether a server runs on this machine. Such servers need no
// key.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
