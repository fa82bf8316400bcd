package claude

import (
	"context"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// Lines of responses have no prices. The cost of a session is in its cost-state
// lines: the tokens and the cost of each model so far, including those of
// subagents and of the sessions that it was forked from. A response costs its
// share of that, so that a response that occurs in several files can be counted
// once.

// prices maps each model to the price of one input token, in dollars.
type prices map[string]float64

// Anthropic's prices of other tokens, as multiples of that of an input token.
const (
	outputWeight    = 5
	cacheReadWeight = 0.1
	cacheWeight     = 1.25
	hourWeight      = 2
)

func readPrices(models []byte) prices {
	p := prices{}
	for name, use := range jsonl.Members(models) {
		model, _ := jsonl.String(name)
		n := sources.Object(use).Int
		raw, _ := jsonl.Lookup(use, "costUSD")
		cost, _ := jsonl.Float(raw)
		u := format.Usage{Input: n("inputTokens"), Output: n("outputTokens"), CacheRead: n("cacheReadInputTokens"), CacheWrite: n("cacheCreationInputTokens")}
		u.CacheWrite1h = min(n("cacheCreationEphemeral1hInputTokens"), u.CacheWrite)
		if w := weight(&u); w > 0 && cost > 0 {
			p[model] = cost / w
		}
	}
	return p
}

// parentPrices returns the prices of the session that started a subagent, whose
// file has none.
func parentPrices(ctx context.Context, path string) prices {
	parent := filepath.Dir(filepath.Dir(path)) + format.FileSuffix
	t, err := readTranscript(ctx, parent)
	if err != nil {
		return nil // the prices stay unknown
	}
	defer t.file.Close()
	return t.prices
}

func weight(u *format.Usage) float64 {
	return float64(u.Input) + outputWeight*float64(u.Output) + cacheReadWeight*float64(u.CacheRead) +
		cacheWeight*float64(u.CacheWrite-u.CacheWrite1h) + hourWeight*float64(u.CacheWrite1h)
}

// priced returns a usage with its cost. Without a known price it has none,
// which differs from a cost of zero.
func (p prices) priced(model string, u format.Usage) format.Usage {
	price, ok := p[model]
	if !ok {
		return sources.Unpriced(u)
	}
	u.Cost = format.Cost{
		Input: price * float64(u.Input), Output: price * outputWeight * float64(u.Output), CacheRead: price * cacheReadWeight * float64(u.CacheRead),
		CacheWrite: price * (cacheWeight*float64(u.CacheWrite-u.CacheWrite1h) + hourWeight*float64(u.CacheWrite1h)), Total: price * weight(&u),
	}
	return u
}

// usageOf reads the figures of a response.
func usageOf(raw []byte) format.Usage {
	n := sources.Object(raw).Int
	u := format.Usage{Input: n("input_tokens"), Output: n("output_tokens"), CacheRead: n("cache_read_input_tokens"), CacheWrite: n("cache_creation_input_tokens")}
	u.TotalTokens = format.Plus(format.Plus(u.Input, u.Output), format.Plus(u.CacheRead, u.CacheWrite))
	u.CacheWrite1h = min(sources.Object(raw).Object("cache_creation").Int("ephemeral_1h_input_tokens"), u.CacheWrite)
	return u
}
