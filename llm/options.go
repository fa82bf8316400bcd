package llm

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/pith-sessions/pith/format"
)

// Options say how a provider is reached. The zero Options send no key.
type Options struct {
	// Key is asked for at each request.
	Key Secret
	// Bearer sends the key as a bearer token to a provider that would otherwise
	// get it in a header of its own. It is for tokens of a login.
	Bearer bool
	// Headers are sent with each request. They go before those of the client.
	Headers map[string]Secret
	// Compat says what the endpoint does differently, in the form of a model's
	// compat in pi's models.json; nil for what is known about the provider.
	Compat json.RawMessage
	// Levels says which thinking levels the model has and what it calls them, in
	// the form of thinkingLevelMap in models.json; nil for the usual ones.
	Levels json.RawMessage
	// Tiers are higher prices of long requests.
	Tiers []Tier
	// HTTP sends the requests; nil means http.DefaultClient. Redirects are refused
	// whatever it says, because a key is for one address.
	HTTP *http.Client
	// IdleTimeout is how long a provider may be silent; 0 means ten minutes.
	IdleTimeout time.Duration
	// ResponseTimeout is how long a provider may take to accept a request, before
	// the first byte of a response; 0 means IdleTimeout.
	ResponseTimeout time.Duration
	// Now is the clock of the messages; nil means time.Now.
	Now func() time.Time
}

// A Tier is the price of requests that have more than Above tokens of input.
type Tier struct {
	Above int64
	Price Price
}

const defaultIdle = 10 * time.Minute

func (o Options) idle() time.Duration {
	if o.IdleTimeout > 0 {
		return o.IdleTimeout
	}
	return defaultIdle
}

func (o Options) response() time.Duration {
	if o.ResponseTimeout > 0 {
		return o.ResponseTimeout
	}
	return o.idle()
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// count fills in what follows from the counts of a usage: the total and the
// cost. Input does not contain what was read from or written to the cache.
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
	// Anthropic takes twice the price of input for what it keeps for an hour.
	short := u.CacheWrite - u.CacheWrite1h
	u.Cost.CacheWrite = (price.CacheWrite*float64(short) + price.Input*2*float64(u.CacheWrite1h)) / million
	u.Cost.Total = u.Cost.Input + u.Cost.Output + u.Cost.CacheRead + u.Cost.CacheWrite
}
