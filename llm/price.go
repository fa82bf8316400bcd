package llm

import "github.com/pith-sessions/pith/format"

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
