package search

import (
	"context"
	"iter"
	"math"
	"os"

	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/foreign"
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
	Kind    inspect.Part
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
// needed. The sequence ends early if ctx ends. There can be at most 60 terms.
func Within(ctx context.Context, terms []Term, candidates []Candidate) iter.Seq[Probe] {
	return parallel.InOrder(ctx, len(candidates), func(ctx context.Context, w *prober, i int) Probe {
		if w.scanners == nil {
			for i := range terms {
				w.scanners = append(w.scanners, newScanner(&Query{Terms: terms[i : i+1]}, false, nil))
			}
		}
		found, err := w.probe(ctx, candidates[i])
		return Probe{found, err}
	})
}

// A prober looks for each term separately. It is used by one goroutine.
type prober struct{ scanners []*scanner }

func (p *prober) probe(ctx context.Context, c Candidate) (*Place, error) {
	wanted := (uint64(1)<<len(p.scanners) - 1) &^ c.Known
	if wanted == 0 {
		return nil, nil
	}
	place := func(e *entry, f found) *Place {
		at := &Place{Path: c.Path, EntryID: e.id}
		if f.field >= 0 && f.field < len(e.fields) {
			x := &e.fields[f.field]
			at.Kind, at.Snippet = x.kind, snippetOf(x.text, f.spans)
		}
		return at
	}
	last := func(s *scanner) (at *Place, err error) {
		err = s.stream(ctx, c.Path, 0, math.MaxInt64, func(e *entry, f found, _ int64) { at = place(e, f) })
		return at, err
	}
	if foreign.Find(c.Path) == nil {
		in, err := os.Open(c.Path)
		if err != nil {
			return nil, err
		}
		defer in.Close() // only read
		info, err := in.Stat()
		if err != nil {
			return nil, err
		}
		last = func(s *scanner) (at *Place, err error) {
			err = s.each(ctx, in, 0, info.Size(), func(e *entry, f found, _ int64) bool { at = place(e, f); return false })
			return at, err
		}
	}
	var first *Place
	for i, s := range p.scanners {
		if wanted&(1<<i) == 0 {
			continue
		}
		at, err := last(s)
		if err != nil || at == nil {
			return nil, err
		}
		if first == nil {
			first = at
		}
	}
	return first, nil
}
