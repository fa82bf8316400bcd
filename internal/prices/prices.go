// Package prices estimates the cost of model calls that have no recorded one,
// from their tokens and a list of published prices.
//
// The list is prices.json. Its first lines say when it was made and from what;
// the program in renew makes it again. It has no models that are free or paid by
// subscription: their cost stays unknown.
//
// # Invariants
//
//	P1  A recorded cost is never changed.
//	P2  An estimate depends on the call and the list alone.
//	P3  The estimate of a sum of calls equals the sum of their estimates, if the
//	    calls are of one model, one day and one size: see [Class].
package prices

import (
	_ "embed"
	"encoding/json"
	"maps"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Price is the price of a model, in dollars per million tokens.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	// CacheWrite1h is the price of tokens cached for an hour. Zero means that
	// of other cache writes.
	CacheWrite1h float64 `json:"cacheWrite1h,omitempty"`
	// Tiers are the prices of calls with long prompts.
	Tiers []Tier `json:"tiers,omitempty"`
	// From is the first day of the price, as YYYY-MM-DD in UTC. It is empty for
	// the first known price of a model.
	From string `json:"from,omitempty"`
}

// A Tier is the price of calls with more than Above tokens of input, cached or
// not.
type Tier struct {
	Above int64 `json:"inputTokensAbove"`
	Price
}

// Of returns the cost of a call, or of several of one size.
func (p *Price) Of(s format.Spent) format.Cost {
	at, above := p, int64(-1)
	for i := range p.Tiers {
		if t := &p.Tiers[i]; prompt(s) > t.Above && t.Above > above {
			at, above = &t.Price, t.Above
		}
	}
	hour := at.CacheWrite1h
	if hour == 0 {
		hour = at.CacheWrite
	}
	const million = 1e6
	c := format.Cost{
		Input: at.Input / million * float64(s.Input), Output: at.Output / million * float64(s.Output), CacheRead: at.CacheRead / million * float64(s.CacheRead),
		CacheWrite: (at.CacheWrite*float64(s.CacheWrite-s.CacheWrite1h) + hour*float64(s.CacheWrite1h)) / million,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}

// prompt returns the average size of the prompts of one or several calls.
func prompt(s format.Spent) int64 {
	return format.Plus(s.Input, format.Plus(s.CacheRead, s.CacheWrite)) / max(1, s.Unpriced)
}

// boundaries are the sizes of prompts at which the price of a model changes.
var boundaries = []int64{32_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000}

// Class returns the size of a call as a number. No tier of the list begins
// within the calls of one class.
func Class(s format.Spent) (n int) {
	for n < len(boundaries) && prompt(s) > boundaries[n] {
		n++
	}
	return n
}

//go:embed prices.json
var data []byte

// A List contains the prices of models by provider and id.
type List struct {
	Date   string                        `json:"date"` // when the list was made, as YYYY-MM-DD
	Source string                        `json:"source"`
	Models map[string]map[string][]Price `json:"prices"` // the oldest price first

	names map[string]map[string][]Price // by canonical name
	found sync.Map                      // what find returned, by its argument
}

// Published returns the list that the program contains.
var Published = sync.OnceValue(func() *List {
	l, err := Parse(data)
	if err != nil {
		panic("prices.json: " + err.Error())
	}
	return l
})

// Parse reads a list in the form of prices.json.
func Parse(text []byte) (*List, error) {
	l := &List{}
	if err := json.Unmarshal(text, l); err != nil {
		return nil, err
	}
	l.names = make(map[string]map[string][]Price, len(l.Models))
	for provider, models := range l.Models {
		names := make(map[string][]Price, len(models))
		for id, list := range models {
			names[canonical(id)] = list
		}
		for name, list := range maps.Clone(names) {
			if short := undated(name); names[short] == nil {
				names[short] = list
			}
		}
		l.names[provider] = names
	}
	return l, nil
}

// own returns the user's own prices by provider/id.
var own atomic.Pointer[func() map[string]Price]

// SetOwn sets the user's own prices, by provider/id, for the whole process. They
// win over the published ones. read is called when a cost is first estimated.
func SetOwn(read func() map[string]Price) {
	read = sync.OnceValue(read)
	own.Store(&read)
}

// Estimate returns the usage of calls with an estimated cost in place of an
// unknown one. model is provider/id. It returns s as it is if its cost is
// recorded, or if the price is not known.
func Estimate(model string, at time.Time, s format.Spent) format.Spent {
	if s.Unpriced == 0 || s.Cost != 0 {
		return s
	}
	p, ok := Price{}, false
	if read := own.Load(); read != nil {
		p, ok = (*read)()[model]
	}
	if !ok {
		if p, ok = Published().Find(model, at); !ok {
			return s
		}
	}
	nanos := math.Round(p.Of(s).Total * 1e9)
	if !(nanos >= 1 && nanos < 1<<63) {
		return s
	}
	s.Cost, s.Estimated, s.Unpriced = format.Money(nanos), true, 0
	return s
}

// Entry returns the usage of an entry, with an estimate if its cost is unknown,
// and the name of the model if the entry has it.
func Entry(e format.Entry) (s format.Spent, model string) {
	u, model := format.UsageOf(e)
	if s = u.Spent(); s.Unpriced > 0 {
		at, _ := e.Head().Time()
		s = Estimate(model, at, s)
	}
	return s, model
}

// Find returns the price of a model, named by provider/id, at a time. Date
// suffixes are ignored if the list does not have them, and so is the difference
// between a dot and a dash. A model that its provider no longer lists is looked
// up where else the same provider's models are sold.
func (l *List) Find(model string, at time.Time) (Price, bool) {
	known, ok := l.found.Load(model)
	if !ok {
		known, _ = l.found.LoadOrStore(model, l.find(model))
	}
	list, _ := known.([]Price)
	if len(list) == 0 {
		return Price{}, false
	}
	return valid(list, at), true
}

func (l *List) find(model string) []Price {
	provider, id, ok := strings.Cut(model, "/")
	if !ok {
		provider, id = "", model
	}
	id = canonical(id)
	for _, from := range places(provider) {
		if list := l.named(from.provider, from.prefix+id); len(list) > 0 {
			return list
		}
	}
	return nil
}

func (l *List) named(provider, id string) []Price {
	names := l.names[provider]
	if list := names[id]; list != nil {
		return list
	}
	return names[undated(id)]
}

// valid returns the price at a time: of those that began before it the last, or
// the first of all. A time that is not known means now.
func valid(list []Price, at time.Time) Price {
	if at.IsZero() || len(list) == 1 {
		return list[len(list)-1]
	}
	day := at.UTC().Format(time.DateOnly)
	p := list[0]
	for i := range list {
		if list[i].From <= day {
			p = list[i]
		}
	}
	return p
}

// A place is a provider in the list, with what its names of another provider's
// models begin with.
type place struct{ provider, prefix string }

// gateway sells the models of most others.
const gateway = "openrouter"

// aliases are other names of providers in the list.
var aliases = map[string][]place{
	"openai":                 {{"openai", ""}, {"openai-codex", ""}, {gateway, "openai/"}},
	"openai-codex":           {{"openai-codex", ""}, {"openai", ""}, {gateway, "openai/"}},
	"azure-openai-responses": {{"azure", ""}, {"openai", ""}},
	"anthropic":              {{"anthropic", ""}, {gateway, "anthropic/"}},
	"google":                 {{"google", ""}, {gateway, "google/"}},
	"google-gemini-cli":      {{"google", ""}, {gateway, "google/"}},
	"google-vertex":          {{"google-vertex", ""}, {"google", ""}, {"anthropic", ""}},
	"kimi":                   {{"kimi-coding", ""}, {"moonshotai", ""}, {gateway, "moonshotai/"}},
	"kimi-coding":            {{"kimi-coding", ""}, {"moonshotai", ""}},
	"moonshotai":             {{"moonshotai", ""}, {gateway, "moonshotai/"}},
	"qwen":                   {{gateway, "qwen/"}},
	"xai":                    {{"xai", ""}, {gateway, "x-ai/"}},
	"zai":                    {{"zai", ""}, {gateway, "z-ai/"}},
	"github-copilot":         {{"github-copilot", ""}, {"anthropic", ""}, {"openai", ""}, {"google", ""}, {gateway, "openai/"}},
	"":                       {{"anthropic", ""}, {"openai", ""}, {"google", ""}},
}

func places(provider string) []place {
	if list := aliases[provider]; list != nil {
		return list
	}
	return []place{{provider, ""}}
}

// canonical returns the one form of a model's id.
func canonical(id string) string {
	id = strings.ToLower(strings.TrimSuffix(id, "[1m]"))
	return strings.NewReplacer(".", "-", "@", "-").Replace(id)
}

// undated returns an id without a date and a version behind it.
func undated(id string) string {
	for _, tail := range []string{"-v1:0", "-latest", "-preview"} {
		id = strings.TrimSuffix(id, tail)
	}
	for _, form := range []string{"-20060102", "-2006-01-02"} {
		if n := len(id) - len(form); n > 0 {
			if _, err := time.Parse(form, id[n:]); err == nil {
				return id[:n]
			}
		}
	}
	return id
}
