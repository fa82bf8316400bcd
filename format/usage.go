package format

import (
	"encoding/json"
	"math"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Usage counts the tokens of one call of a model. Counts that the file does not
// give are zero.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
	// TotalTokens is what the provider reported; zero in older files.
	TotalTokens int64
	// CacheWrite1h is the part of CacheWrite that is kept for an hour.
	CacheWrite1h int64
	// Reasoning is the part of Output that was spent on reasoning.
	Reasoning int64
	Cost      Cost
	// Raw is the JSON that it was decoded from, which is what is written; nil
	// for a usage made in memory.
	Raw json.RawMessage
}

// DecodeUsage reads a usage object. raw must be valid JSON or empty.
func DecodeUsage(raw []byte) Usage {
	u, _ := asUsage(raw)
	return u
}

// A Cost is the price of one call in the currency of the provider's price list, as
// the file holds it. To add up costs use Usage.Spent.
type Cost struct {
	Input, Output, CacheRead, CacheWrite, Total float64
	// TotalFromProvider is set when the provider reported Total itself.
	TotalFromProvider bool
}

// Plus adds tokens or money without running over: a file may claim any number.
// What is below zero is taken for nothing.
func Plus(a, b int64) int64 {
	a, b = max(a, 0), max(b, 0)
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// asUsage reads a usage object; ok is false for a value of another type.
func asUsage(raw []byte) (u Usage, ok bool) {
	if jsonl.KindOf(raw) != '{' {
		return Usage{}, false
	}
	u.Raw = clip(raw)
	for key, value := range jsonl.Members(raw) {
		switch string(nameOf(key)) {
		case "input":
			u.Input = asInt(value)
		case "output":
			u.Output = asInt(value)
		case "cacheRead":
			u.CacheRead = asInt(value)
		case "cacheWrite":
			u.CacheWrite = asInt(value)
		case "totalTokens":
			u.TotalTokens = asInt(value)
		case "cacheWrite1h":
			u.CacheWrite1h = asInt(value)
		case "reasoning":
			u.Reasoning = asInt(value)
		case "cost":
			u.Cost = asCost(value)
		}
	}
	return u, true
}

func asUsagePointer(raw []byte) *Usage {
	u, ok := asUsage(raw)
	if !ok {
		return nil
	}
	return &u
}

func asCost(raw []byte) (c Cost) {
	if jsonl.KindOf(raw) != '{' {
		return c
	}
	for key, value := range jsonl.Members(raw) {
		switch string(nameOf(key)) {
		case "input":
			c.Input = asFloat(value)
		case "output":
			c.Output = asFloat(value)
		case "cacheRead":
			c.CacheRead = asFloat(value)
		case "cacheWrite":
			c.CacheWrite = asFloat(value)
		case "total":
			c.Total = asFloat(value)
		case "totalFromProvider":
			c.TotalFromProvider = asBool(value)
		}
	}
	return c
}

func (o *object) usage(name string, u Usage) {
	o.key(name)
	if u.Raw != nil {
		o.buf = jsonl.AppendCompact(o.buf, u.Raw)
		return
	}
	w := openObject(o.buf)
	w.int("input", u.Input)
	w.int("output", u.Output)
	w.int("cacheRead", u.CacheRead)
	w.int("cacheWrite", u.CacheWrite)
	w.optInt("cacheWrite1h", u.CacheWrite1h)
	w.optInt("reasoning", u.Reasoning)
	w.int("totalTokens", u.TotalTokens)
	w.key("cost")
	c := openObject(w.buf)
	c.float("input", u.Cost.Input)
	c.float("output", u.Cost.Output)
	c.float("cacheRead", u.Cost.CacheRead)
	c.float("cacheWrite", u.Cost.CacheWrite)
	c.float("total", u.Cost.Total)
	c.optTrue("totalFromProvider", u.Cost.TotalFromProvider)
	w.buf = c.close()
	o.buf = w.close()
}

func (o *object) optUsage(name string, u *Usage) {
	if u != nil {
		o.usage(name, *u)
	}
}
