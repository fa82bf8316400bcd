package search

import (
	"context"
	"iter"
	"os"

	"github.com/pith-sessions/pith/internal/parallel"
)

// A Candidate is a session file in which terms may occur.
type Candidate struct {
	Path string
	// Known are the terms that are known to match, by number, as bits.
	Known uint64
}

// A Place is the position of the first of the terms that were searched in a
// session.
type Place struct {
	Path    string
	EntryID string // "" in a file whose entries have none
	Kind    Kind
	Snippet Snippet
}

// A Probe is the result for one candidate.
type Probe struct {
	// Found is nil if a term is missing, or none was searched.
	Found *Place
	// Err is the error of reading the file.
	Err error
}

// Within searches sessions one by one, also for parts of words, and yields a
// probe for each in the given order. A session matches if each term matches one
// of its entries, not necessarily the same one. A file is read only as far as
// needed, and not at all if the index, which may be nil, shows that a term does
// not occur in it. The sequence ends early if ctx ends. There can be at most 60
// terms.
func Within(ctx context.Context, ix *Index, terms []Term, candidates []Candidate) iter.Seq[Probe] {
	return func(yield func(Probe) bool) {
		filter := ix.filterFor(ctx, terms)
		probes := parallel.InOrder(ctx, len(candidates), func(ctx context.Context, w *prober, i int) Probe {
			if w.scanners == nil {
				w.begin(terms, filter)
			}
			found, err := w.probe(ctx, candidates[i])
			return Probe{found, err}
		})
		probes(yield)
	}
}

// A gramFilter tells which terms cannot occur in indexed files.
type gramFilter struct {
	have *contents
	may  map[*source]uint64 // terms that may occur, as bits
}

// filterFor returns the filter for terms, or nil if the index cannot tell.
func (ix *Index) filterFor(ctx context.Context, terms []Term) *gramFilter {
	if ix == nil {
		return nil
	}
	required, known := make([][]uint32, len(terms)), false
	for i, t := range terms {
		if t.Regexp != nil {
			required[i] = requiredGrams(t.Regexp.String())
			known = known || len(required[i]) > 0
		}
	}
	if !known {
		return nil
	}
	have := ix.load(ctx)
	f := &gramFilter{have, make(map[*source]uint64, len(have.sources))}
	err := ix.texts.Grams(ctx, func(first int64, set []byte) {
		r, ok := have.runOf(first)
		if !ok {
			return // it was added since
		}
		for i := range required {
			if hasGrams(set, required[i]) {
				f.may[r.of] |= 1 << i
			}
		}
	})
	if err != nil {
		ix.heal(err)
		return nil
	}
	if !ix.holds(ctx, have) {
		return nil
	}
	return f
}

// A prober looks for each term separately. It is used by one goroutine.
type prober struct {
	scanners []*scanner
	filter   *gramFilter
}

func (p *prober) begin(terms []Term, filter *gramFilter) {
	p.filter = filter
	for i := range terms {
		p.scanners = append(p.scanners, newScanner(&Query{Terms: terms[i : i+1]}, false, nil))
	}
}

// missing returns the terms that do not occur before an offset of a file, as
// bits.
func (f *gramFilter) missing(path string, file os.FileInfo) (terms uint64, end int64) {
	if f == nil {
		return 0, 0
	}
	src := f.have.sources[path]
	if src == nil || !src.mark.coversFile(path, file) {
		return 0, 0
	}
	return ^f.may[src], src.mark.end
}

func (p *prober) probe(ctx context.Context, c Candidate) (*Place, error) {
	wanted := (uint64(1)<<len(p.scanners) - 1) &^ c.Known
	if wanted == 0 {
		return nil, nil
	}
	info, err := os.Stat(c.Path)
	if err != nil {
		return nil, err
	}
	if missing, end := p.filter.missing(c.Path, info); wanted&missing != 0 && end >= info.Size() {
		return nil, nil
	}
	in, err := os.Open(c.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	if info, err = in.Stat(); err != nil {
		return nil, err
	}
	missing, end := p.filter.missing(c.Path, info)
	var first *Place
	for i, s := range p.scanners {
		if wanted&(1<<i) == 0 {
			continue
		}
		from := int64(0)
		if missing&(1<<i) != 0 {
			from = end
		}
		var at *Place
		err := s.each(ctx, in, from, info.Size(), func(e *entry, f found, _ int64) bool {
			at = &Place{Path: c.Path, EntryID: e.id}
			if f.field >= 0 && f.field < len(e.fields) {
				x := &e.fields[f.field]
				at.Kind, at.Snippet = x.kind, snippetOf(x.text, f.spans)
			}
			return false
		})
		if err != nil || at == nil {
			return nil, err
		}
		if first == nil {
			first = at
		}
	}
	return first, nil
}
