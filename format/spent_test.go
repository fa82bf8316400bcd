package format_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/pith-sessions/pith/format"
)

func TestSpent(t *testing.T) {
	tests := map[string]struct {
		raw  string
		want format.Spent
	}{
		"parts": {
			`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":99,"cost":{"input":1,"total":0.5}}`,
			format.Spent{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Tokens: 10, Cost: 5e8},
		},
		"a total alone":          {`{"totalTokens":99}`, format.Spent{Tokens: 99, Unpriced: 1}},
		"cost by its parts":      {`{"cost":{"input":0.1,"output":0.2,"cacheRead":0.3,"cacheWrite":0.4}}`, format.Spent{Cost: 1e9}},
		"cost as a number":       {`{"input":1,"cost":0.007}`, format.Spent{Input: 1, Tokens: 1, Cost: 7e6}},
		"below a millionth":      {`{"cost":{"total":0.0000004}}`, format.Spent{Cost: 400}},
		"nothing below zero":     {`{"input":-1,"output":2,"totalTokens":-5,"cost":{"total":-1}}`, format.Spent{Output: 2, Tokens: 2, Unpriced: 1}},
		"tokens do not run over": {`{"input":9223372036854775807,"output":1}`, format.Spent{Input: math.MaxInt64, Output: 1, Tokens: math.MaxInt64, Unpriced: 1}},
		"a price beyond belief":  {`{"cost":{"total":1e300}}`, format.Spent{}},
		"a price at the limit":   {`{"cost":{"total":9223372036.854775808}}`, format.Spent{}},
		"tokens at the limit":    {`{"input":9223372036854775808,"output":9223372036854774784.5,"cacheRead":-9223372036854775808.0}`, format.Spent{Output: 9223372036854774784, Tokens: 9223372036854774784, Unpriced: 1}},
		"parts beyond belief":    {`{"cost":{"input":1e308,"output":1e308,"cacheRead":-1e308}}`, format.Spent{}},
		"no object":              {`[1]`, format.Spent{}},
		"empty":                  {``, format.Spent{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := format.DecodeSpent([]byte(tt.raw)); got != tt.want || got.IsZero() != (tt.want == format.Spent{}) {
				t.Errorf("DecodeSpent(%s) = %+v, want %+v", tt.raw, got, tt.want)
			}
		})
	}
	var none *format.Usage
	if got := none.Spent(); !got.IsZero() {
		t.Errorf("nil.Spent() = %+v, want nothing", got)
	}
}

// Displayed amounts are rounded once, after adding up.
func TestSpentPlus(t *testing.T) {
	small := format.Spent{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Tokens: 10, Cost: 400}
	var sum format.Spent
	for range 6 {
		sum = sum.Plus(small)
	}
	got, err := json.Marshal(sum)
	want := `{"input":6,"cacheRead":18,"cacheWrite":24,"output":12,"tokens":60,"costMicros":2}`
	if err != nil || string(got) != want {
		t.Errorf("six times %+v = %s, %v; want %s", small, got, err, want)
	}
	most := format.Spent{Tokens: math.MaxInt64, Cost: math.MaxInt64}
	if got := most.Plus(small); got.Tokens != math.MaxInt64 || got.Cost != math.MaxInt64 {
		t.Errorf("%+v.Plus(%+v) = %+v, want the largest numbers", most, small, got)
	}
}

func TestMicros(t *testing.T) {
	for money, want := range map[format.Money]int64{0: 0, 499: 0, 500: 1, 1499: 1, 1500: 2, math.MaxInt64: math.MaxInt64/1000 + 1} {
		if got := money.Micros(); got != want {
			t.Errorf("Money(%d).Micros() = %d, want %d", money, got, want)
		}
	}
}

func TestUsageOf(t *testing.T) {
	const usage = `"usage":{"input":7}`
	tests := map[string]struct {
		line  string
		model string
		want  int64 // tokens; -1 without usage
	}{
		"answer":           {`{"type":"message","message":{"role":"assistant","content":[],"provider":"p","model":"m",` + usage + `}}`, "p/m", 7},
		"tool":             {`{"type":"message","message":{"role":"toolResult","content":[],` + usage + `}}`, "", 7},
		"tool without one": {`{"type":"message","message":{"role":"toolResult","content":[]}}`, "", -1},
		"user":             {`{"type":"message","message":{"role":"user","content":"x",` + usage + `}}`, "", -1},
		"compaction":       {`{"type":"compaction","summary":"s",` + usage + `}`, "", 7},
		"branch summary":   {`{"type":"branch_summary","summary":"s",` + usage + `}`, "", 7},
		"accounting":       {`{"type":"usage","provider":"p","model":"m",` + usage + `}`, "p/m", 7},
		"oh-my-pi's":       {`{"type":"model_usage","provider":"p","model":"m",` + usage + `}`, "p/m", 7},
		"unknown":          {`{"type":"other",` + usage + `}`, "", -1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := format.DecodeEntry([]byte(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			u, model := format.UsageOf(e)
			got := int64(-1)
			if u != nil {
				got = u.Spent().Tokens
			}
			if got != tt.want || model != tt.model {
				t.Errorf("UsageOf(%s) = %d tokens, %q; want %d, %q", tt.line, got, model, tt.want, tt.model)
			}
		})
	}
}

func TestModelName(t *testing.T) {
	for _, tt := range [][3]string{{"p", "m", "p/m"}, {"", "m", "m"}, {"p", "", "p"}, {"", "", ""}} {
		if got := format.ModelName(tt[0], tt[1]); got != tt[2] {
			t.Errorf("ModelName(%q, %q) = %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

// A usage in the usual form is read by a shorter way, to the same sum.
func TestDecodeSpent(t *testing.T) {
	for _, raw := range []string{
		`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.3}}`,
		`{"cost":{"total":4e-7},"output":12,"reasoning":3}`,
		`{"input":1,"cost":{"total":0.3},"input":2}`,
		`{"input":1,"cost":{"total":0.3},"cost":{"input":1}}`,
		`{"input":1,"cost":{"total":0.3},"cost":7}`,
		`{"input":1,"cost":0.5}`, `{"input":1,"cost":{"total":9223372036.854775808}}`, `{"input":1,"cost":{"total":0}}`,
		`{"input":1234567890123456,"cost":{"total":1}}`, `{"input":12,"cost":{"total":0.5}}`,
		`{"input":1,"cost":{"input":0.5}}`,
		`{"input":1,"cost":{"total":0.5,"totalFromProvider":true}}`,
		`{"input":1,"cost":{"total":0.5,"cost":{"total":9}}}`,
		`{"input":1,"cost":{"total":-0.5}}`, `{"input":-1,"cost":{"total":0.5}}`, `{"input":1.5,"cost":{"total":0.5}}`,
		`{"input":12345678901234567890,"cost":{"total":1e300}}`, `{"inp\u0075t":1,"output":1,"cost":{"total":1}}`,
		`{"input":1,"output":1,"cost":{"t\u006ftal":1,"total":2}}`, `{"input":1,"cost":{"total":1,"t\u006ftal":2}}`,
		`{ "input":1,"cost":{"total":1}}`, `{"input":1,"cost":{"total":1} }`, `{"input":null,"output":1,"cost":{"total":1}}`,
		`{"totalTokens":5,"cost":{"total":1}}`, `{"input":1,"x":{"total":3},"cost":{"total":1}}`, `{"input":1,"x":[1,2],"cost":{"total":1}}`,
		`{}`, `[]`, `7`, `null`, ``, `{"cost":{}}`, `{"input":1,"cost":{"total":1},"x":"a,b}"}`,
	} {
		u := format.DecodeUsage([]byte(raw))
		if got, want := format.DecodeSpent([]byte(raw)), u.Spent(); got != want {
			t.Errorf("DecodeSpent(%s) = %+v; want %+v", raw, got, want)
		}
	}
}

// Lists add up a usage for every answer: one as nearly every writer makes it takes the
// shorter way, whatever the order of its members.
func TestUsualSpent(t *testing.T) {
	for raw, want := range map[string]format.Spent{
		`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.3}}`: {
			Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Tokens: 10, Cost: 3e8,
		},
		`{"cost":{"total":4e-7},"output":12,"reasoning":3}`:                             {Output: 12, Tokens: 12, Cost: 400},
		`{"totalTokens":90,"input":123456789012345,"cost":{"total":9.75,"input":1e-5}}`: {Input: 123456789012345, Tokens: 123456789012345, Cost: 9750000000},
		`{"cost":{"total":1e-9},"output":1,"cacheRead":98765432109}`:                    {Output: 1, CacheRead: 98765432109, Tokens: 98765432110, Cost: 1},
		`{"input":0,"output":7,"cost":{"total":1e+1}}`:                                  {Output: 7, Tokens: 7, Cost: 1e10},
	} {
		if got, ok := format.UsualSpent([]byte(raw)); got != want || !ok {
			t.Errorf("of %s the shorter way makes %+v, %t; want %+v", raw, got, ok, want)
		}
	}
	for _, raw := range []string{
		`{"input":1234567890123456,"cost":{"total":1}}`, `{"input":-1,"cost":{"total":1}}`, `{"input":1.0,"cost":{"total":1}}`, `{"input":1,"cost":1}`, `{"input":1`,
		`{"input":1,"cost":{"total":1},"cost":{"total":2}}`, `{"input"`, `{"input":`, `{"`, `{`, `[1]`, `{"inp\u0075t":1,"cost":{"total":1}}`, `{"input":1,"cost":{"t\u006ftal":1}}`,
	} {
		if got, ok := format.UsualSpent([]byte(raw)); ok {
			t.Errorf("%s is taken for a usual one: %+v", raw, got)
		}
	}
}

// Random prices and counts have the same sum on both ways.
func TestUsualSpentOfRandomNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	signs := []string{"", "", "", "-"}
	ends := []string{"", "", ".", "e", "e-", ".0", "E+"}
	for range 20_000 {
		number := func() string {
			n := strconv.FormatInt(random.Int64()>>random.IntN(63), 10)
			switch end := ends[random.IntN(len(ends))]; end {
			case "", ".0":
				n += end
			case ".":
				n += end + fmt.Sprintf("%0*d", 1+random.IntN(12), random.IntN(10))
			default:
				n += end + strconv.Itoa(random.IntN(12))
			}
			return signs[random.IntN(len(signs))] + n
		}
		raw := fmt.Appendf(nil, `{"input":%s,"output":%d,"x":%s,"cost":{"input":%s,"total":%s}}`, number(), random.IntN(1e6), number(), number(), number())
		u := format.DecodeUsage(raw)
		if got, want := format.DecodeSpent(raw), u.Spent(); got != want {
			t.Fatalf("DecodeSpent(%s) = %+v; want %+v", raw, got, want)
		}
	}
}

// A number is taken as far as 64 bits reach, and is nothing beyond.
func TestNumbersAtTheLimit(t *testing.T) {
	u := format.DecodeUsage([]byte(`{"input":9223372036854775808,"output":-9223372036854775808.0,"cacheRead":9223372036854774784.0,"cacheWrite":-9223372036854777856}`))
	if u.Input != 0 || u.Output != math.MinInt64 || u.CacheRead != 9223372036854774784 || u.CacheWrite != 0 {
		t.Errorf("the numbers are %d, %d, %d, %d", u.Input, u.Output, u.CacheRead, u.CacheWrite)
	}
}
