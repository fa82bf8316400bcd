package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// A Secret is a key, a token or another value that only a provider may receive.
// It does not show its value however it is printed, logged or encoded, because
// it is stored as a function, which has no text. The zero Secret is empty.
type Secret struct{ ask func() (string, error) }

// NewSecret returns a secret with a value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{func() (string, error) { return value, nil }}
}

// SecretFunc returns a secret whose value is fetched each time it is needed.
// The error of ask must not quote the value.
func SecretFunc(ask func() (string, error)) Secret { return Secret{ask} }

// String hides the value.
func (s Secret) String() string {
	if s.ask == nil {
		return "no secret"
	}
	return "a secret"
}

// GoString hides the value.
func (s Secret) GoString() string { return s.String() }

// MarshalJSON hides the value.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// reveal returns the value. It is called only for a request.
func (s Secret) reveal() (string, error) {
	if s.ask == nil {
		return "", nil
	}
	return s.ask()
}

// A scrubber removes secrets from texts that providers and the network return,
// because some quote the key that they reject.
type scrubber struct{ replace *strings.Replacer }

// minScrubbed prevents short values, such as the word that local servers accept
// as a key, from being removed from ordinary words.
const minScrubbed = 8

// newScrubber removes the secrets and their words: of a header such as "Bearer
// token", a provider may quote only the token.
func newScrubber(secrets ...string) scrubber {
	var parts []string
	for _, s := range secrets {
		parts = append(append(parts, s), strings.Fields(s)...)
	}
	// Longest first, because one secret can be a prefix of another.
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, part := range parts {
		if len(part) >= minScrubbed {
			pairs = append(pairs, part, "[key]")
		}
	}
	return scrubber{strings.NewReplacer(pairs...)}
}

func (s scrubber) text(text string) string {
	if s.replace == nil {
		return text
	}
	return s.replace.Replace(text)
}

// A concealed is a text of a file that may be a key. Like a [Secret] it is
// stored as a function, so that printing a value that contains it does not show
// it.
type concealed struct{ get func() string }

func conceal(text string) concealed { return concealed{func() string { return text }} }

// UnmarshalJSON reads a string.
func (c *concealed) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	*c = conceal(text)
	return nil
}

// plain returns the text, or "" for the zero concealed.
func (c concealed) plain() string {
	if c.get == nil {
		return ""
	}
	return c.get()
}
