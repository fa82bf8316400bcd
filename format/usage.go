package format

import (
	"encoding/json"
	"math"
	"reflect"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Usage counts the tokens of one model call. Counts missing from the file are
// zero.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
	// TotalTokens is the total reported by the provider; zero in older files.
	TotalTokens int64
	// CacheWrite1h is the part of CacheWrite that is cached for an hour.
	CacheWrite1h int64
	// Reasoning is the part of Output used for reasoning.
	Reasoning int64
	Cost      Cost
	// Raw is the JSON that it was decoded from, or nil for a usage made in
	// memory. It is written with the fields that changed since.
	Raw json.RawMessage
}

// DecodeUsage reads a usage object. raw must be valid JSON or empty.
func DecodeUsage(raw []byte) Usage {
	var u Usage
	if jsonl.KindOf(raw) == '{' {
		u.Raw = clip(raw)
		c := newCodec(reading, raw)
		defer c.release()
		u.fields(c)
	}
	return u
}

// A Cost is the price of one call in the currency of the provider's price list,
// as stored in the file. To sum costs, use Usage.Spent.
type Cost struct {
	Input, Output, CacheRead, CacheWrite, Total float64
	// TotalFromProvider is set if the provider reported Total itself.
	TotalFromProvider bool
}

// Plus adds tokens or money without overflow, because a file may contain any
// number. Negative values count as zero.
func Plus(a, b int64) int64 {
	a, b = max(a, 0), max(b, 0)
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (u *Usage) fields(c *codec) {
	field(c, "input", &u.Input, intKind)
	field(c, "output", &u.Output, intKind)
	field(c, "cacheRead", &u.CacheRead, intKind)
	field(c, "cacheWrite", &u.CacheWrite, intKind)
	optional(c, "cacheWrite1h", &u.CacheWrite1h, intKind)
	optional(c, "reasoning", &u.Reasoning, intKind)
	field(c, "totalTokens", &u.TotalTokens, intKind)
	field(c, "cost", &u.Cost, costKind)
}

func (v *Cost) fields(c *codec) {
	field(c, "input", &v.Input, floatKind)
	field(c, "output", &v.Output, floatKind)
	field(c, "cacheRead", &v.CacheRead, floatKind)
	field(c, "cacheWrite", &v.CacheWrite, floatKind)
	field(c, "total", &v.Total, floatKind)
	optional(c, "totalFromProvider", &v.TotalFromProvider, boolKind)
}

func asCost(raw []byte) (v Cost) {
	if jsonl.KindOf(raw) == '{' {
		c := newCodec(reading, raw)
		defer c.release()
		v.fields(c)
	}
	return v
}

func appendCost(dst []byte, v Cost) []byte { return appendRecord(dst, &v) }

func appendUsage(dst []byte, u Usage) []byte {
	if u.Raw == nil {
		return appendRecord(dst, &u)
	}
	return jsonl.AppendCompact(dst, edited(u.Raw, &u))
}

// sameUsage compares the numbers; it ignores unknown members of raw.
func sameUsage(raw []byte, u Usage) bool {
	old := DecodeUsage(raw)
	old.Raw, u.Raw = nil, nil
	return reflect.DeepEqual(old, u)
}
