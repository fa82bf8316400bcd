package cost

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/internal/cache/scans"
)

const (
	// keptFile is the name of the cache file with the responses found in
	// sessions.
	keptFile = "spent.db"
	// keptVersion increases with every change of the scan or of its stored
	// form.
	keptVersion = 1
)

// KeptFiles returns the paths of the files that this package creates in a cache
// directory, whether they exist or not.
func KeptFiles(dir string) []string { return scans.Files(dir, keptFile) }

// ClearKept empties these files, so that every session is read again.
func ClearKept(ctx context.Context, dir string) error {
	return scans.Clear(ctx, dir, keptFile, keptVersion)
}

// pack encodes the responses found in a file. The name of a model is written
// once and then referred to by number.
func (s *scanner) pack() []byte {
	b := pack.AppendBool(nil, s.runs)
	b = binary.AppendUvarint(b, uint64(len(s.found)))
	models := map[string]int{}
	for i := range s.found {
		f := &s.found[i]
		b = append(b, f.key[:]...)
		b = pack.AppendString(b, string(f.Kind))
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
		for _, n := range [...]int64{f.Input, f.Output, f.CacheRead, f.CacheWrite, f.Tokens, int64(f.Cost)} {
			b = binary.AppendVarint(b, n)
		}
		if f.Kind == Tool {
			b = pack.AppendString(pack.AppendString(b, f.entry), f.call)
		}
	}
	return b
}

// packedCount returns the number of responses that pack wrote.
func packedCount(text string) int {
	d := pack.NewReader(text)
	d.Bool()
	return int(min(d.Uint(), uint64(len(text))))
}

// unpack reads the output of pack.
func (s *scanner) unpack(text string) error {
	s.found = s.found[:0]
	d := pack.NewReader(text)
	s.runs = d.Bool()
	var models []string
	for left := d.Uint(); left > 0 && d.Len() > 0; left-- {
		var f found
		copy(f.key[:], d.Take(len(f.key)))
		f.Kind = kindOf(d.String())
		f.Time = time.Unix(d.Int(), int64(d.Uint()))
		model := d.Uint()
		if model == uint64(len(models)) {
			models = append(models, s.once([]byte(d.String())))
		}
		if model >= uint64(len(models)) {
			return pack.ErrMalformed
		}
		f.Model = models[model]
		f.Spent = format.Spent{Input: d.Int(), Output: d.Int(), CacheRead: d.Int(), CacheWrite: d.Int(), Tokens: d.Int(), Cost: format.Money(d.Int())}
		if f.Kind == Tool {
			f.entry, f.call = d.String(), d.String()
		}
		s.found = append(s.found, f)
	}
	return d.Done()
}

// kindOf returns the kind of that name without a copy of the name.
func kindOf(name string) Kind {
	for _, k := range [...]Kind{Answer, Tool, Compaction, BranchSummary, Accounting, Subagent} {
		if name == string(k) {
			return k
		}
	}
	return Kind(name)
}
