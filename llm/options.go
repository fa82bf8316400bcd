package llm

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/pith-sessions/pith/format"
)

// Options determine how to reach a provider. The zero Options send no key.
type Options struct {
	// Key is resolved for each request.
	Key Secret
	// Bearer sends the key as a bearer token to a provider that otherwise
	// expects it in a header of its own. It is for login tokens.
	Bearer bool
	// Headers are sent with each request. They take precedence over those of
	// the client.
	Headers map[string]Secret
	// Compat describes how the endpoint differs, in the form of compat in pi's
	// models.json; nil means the built-in knowledge about the provider.
	Compat json.RawMessage
	// Levels are the model's thinking levels and its names for them, in the
	// form of thinkingLevelMap in models.json; nil means the default levels.
	Levels json.RawMessage
	// Tiers are higher prices for long requests.
	Tiers []Tier
	// HTTP sends the requests; nil means http.DefaultClient. Redirects are
	// always refused, because a key is for one address.
	HTTP *http.Client
	// IdleTimeout is how long a provider may be silent; 0 means ten minutes.
	IdleTimeout time.Duration
	// ResponseTimeout is how long a provider may take until the first byte of a
	// response; 0 means IdleTimeout.
	ResponseTimeout time.Duration
	// Now is the clock for message timestamps; nil means time.Now.
	Now func() time.Time
}

// A Tier is the price of requests with more than Above tokens of input.
type Tier struct {
	Above int64
	Price Price
}

// count computes the total and the cost from the counts of a usage. Input
// excludes cache reads and writes.
func count(u *format.Usage, m Model, tiers []Tier) {
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	price, above := m.Cost, int64(-1)
	input := u.Input + u.CacheRead + u.CacheWrite
	for _, t := range tiers {
		if input > t.Above && t.Above > above {
			price, above = t.Price, t.Above
		}
	}
	const million = 1e6
	u.Cost.Input = price.Input / million * float64(u.Input)
	u.Cost.Output = price.Output / million * float64(u.Output)
	u.Cost.CacheRead = price.CacheRead / million * float64(u.CacheRead)
	// Anthropic charges twice the input price for writes cached for an hour.
	short := u.CacheWrite - u.CacheWrite1h
	u.Cost.CacheWrite = (price.CacheWrite*float64(short) + price.Input*2*float64(u.CacheWrite1h)) / million
	u.Cost.Total = u.Cost.Input + u.Cost.Output + u.Cost.CacheRead + u.Cost.CacheWrite
}
