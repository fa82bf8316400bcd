package spending

import (
	"encoding/binary"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/pack"
)

// Version is the version of packed responses. It increases with every change of
// their encoding or of what counts as a response.
const Version = 3

// Pack encodes the responses found. The name of a model is written once and
// then referred to by number.
func (s *Scanner) Pack() []byte {
	b := pack.AppendBool(nil, s.Runs)
	b = binary.AppendUvarint(b, uint64(len(s.Found)))
	models := map[string]int{}
	for i := range s.Found {
		f := &s.Found[i]
		b = append(b, f.Key[:]...)
		b = pack.AppendString(b, f.Kind)
		b = binary.AppendVarint(b, f.Time.Unix())
		b = binary.AppendUvarint(b, uint64(f.Time.Nanosecond()))
		n, known := models[f.Model]
		if !known {
			n = len(models)
			models[f.Model] = n
		}
		b = binary.AppendUvarint(b, uint64(n))
		if !known {
			b = pack.AppendString(b, f.Model)
		}
		for _, n := range [...]int64{f.Input, f.Output, f.CacheRead, f.CacheWrite, f.CacheWrite1h, f.Tokens, int64(f.Cost), f.Unpriced} {
			b = binary.AppendVarint(b, n)
		}
		if f.Kind == Tool {
			b = pack.AppendString(pack.AppendString(b, f.Entry), f.Call)
		}
	}
	return b
}

// PackedCount returns the number of responses that Pack encoded.
func PackedCount(text string) int {
	d := pack.NewReader(text)
	d.Bool()
	return int(min(d.Uint(), uint64(len(text))))
}

// PackedRuns returns the value of Runs that Pack encoded.
func PackedRuns(text string) bool { return text != "" && text[0] != 0 }

// Unpack replaces the responses found by those that Pack encoded. It returns an
// error for anything else.
func (s *Scanner) Unpack(text string) error {
	s.Found = s.Found[:0]
	d := pack.NewReader(text)
	s.Runs = d.Bool()
	var models []string
	for left := d.Uint(); left > 0 && d.Len() > 0; left-- {
		s.Found = append(s.Found, Response{})
		f := &s.Found[len(s.Found)-1]
		copy(f.Key[:], d.Take(len(f.Key)))
		f.Kind = KindOf(d.String())
		f.Time = time.Unix(d.Int(), int64(d.Uint()))
		model := d.Uint()
		if model == uint64(len(models)) {
			models = append(models, s.once([]byte(d.String())))
		}
		if model >= uint64(len(models)) {
			return pack.ErrMalformed
		}
		f.Model = models[model]
		f.Spent = format.Spent{Input: d.Int(), Output: d.Int(), CacheRead: d.Int(), CacheWrite: d.Int(), CacheWrite1h: d.Int(), Tokens: d.Int(), Cost: format.Money(d.Int()), Unpriced: d.Int()}
		if f.Kind == Tool {
			f.Entry, f.Call = d.String(), d.String()
		}
	}
	return d.Done()
}

// KindOf returns the kind of that name without a reference to the packed text.
func KindOf(name string) string {
	for _, k := range [...]string{Answer, Tool, Compaction, BranchSummary, Accounting, CacheWarm, Subagent} {
		if name == k {
			return k
		}
	}
	return strings.Clone(name)
}
