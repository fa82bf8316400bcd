package transcript

import "iter"

// Steps are the steps of a plan, in order. Steps of the same kind for
// consecutive entries are stored together: a long conversation takes little
// memory.
type Steps struct {
	stretches []stretch
	size      int
}

// A stretch contains the steps of n consecutive entries.
type stretch struct {
	Step // the first one
	n    int
}

func (s *Steps) add(pos int, from Source) {
	s.size++
	if k := len(s.stretches) - 1; k >= 0 {
		if last := &s.stretches[k]; last.From == from && last.Pos+last.n == pos {
			last.n++
			return
		}
	}
	s.stretches = append(s.stretches, stretch{Step{pos, from}, 1})
}

// Len returns the number of steps.
func (s *Steps) Len() int { return s.size }

// All yields the steps.
func (s *Steps) All() iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for _, part := range s.stretches {
			for i := range part.n {
				if !yield(Step{part.Pos + i, part.From}) {
					return
				}
			}
		}
	}
}
