package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A TurnsError means that a text does not select turns of the path.
type TurnsError struct {
	Turns       string // as requested
	First, Last int    // numbers of the first and last turn; Last is 0 if there are none
}

func (e *TurnsError) Error() string {
	if e.Last == 0 {
		return fmt.Sprintf("turns %q: no turns on this path", e.Turns)
	}
	return fmt.Sprintf("turns %q: want numbers from %d to %d", e.Turns, e.First, e.Last)
}

// Select returns the indexes of the turns with the numbers in a text such as 3-5
// or 2,4-6, ascending and without duplicates. 4- means turn 4 and all later ones,
// -3 at most the last three, without turn 0, and an empty text all. Anything
// else, and a turn that does not exist, is a *TurnsError.
func (r *Reading) Select(turns string) ([]int, error) {
	if turns == "" {
		return between(0, r.Len()), nil
	}
	bad := &TurnsError{Turns: turns}
	if r.Len() > 0 {
		bad.First, bad.Last = r.Number(0), r.Number(r.Len()-1)
	}
	var indexes []int
	for part := range strings.SplitSeq(turns, ",") {
		part = strings.TrimSpace(part)
		if count, ok := strings.CutPrefix(part, "-"); ok {
			n, ok := turnNumber(count)
			if !ok || n == 0 {
				return nil, bad
			}
			indexes = append(indexes, between(max(0, 1-bad.First, r.Len()-n), r.Len())...)
			continue
		}
		first, last, ok := span(part, bad.Last)
		if !ok || first < bad.First || last-bad.First >= r.Len() || first > last {
			return nil, bad
		}
		indexes = append(indexes, between(first-bad.First, last-bad.First+1)...)
	}
	slices.Sort(indexes)
	return slices.Compact(indexes), nil
}

// Numbers returns the text that selects turns, given by their ascending indexes.
func (r *Reading) Numbers(indexes []int) string {
	var parts []string
	for i := 0; i < len(indexes); {
		k := i
		for k+1 < len(indexes) && indexes[k+1] == indexes[k]+1 {
			k++
		}
		part := strconv.Itoa(r.Number(indexes[i]))
		if k > i {
			part += "-" + strconv.Itoa(r.Number(indexes[k]))
		}
		parts = append(parts, part)
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// span returns the first and last number of a part of a selection.
func span(part string, newest int) (first, last int, ok bool) {
	from, to, isRange := strings.Cut(part, "-")
	if first, ok = turnNumber(from); !ok || !isRange {
		return first, first, ok
	}
	if to == "" {
		return first, newest, true
	}
	last, ok = turnNumber(to)
	return first, last, ok
}

func turnNumber(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err == nil
}

// between returns the numbers from one up to another, which is not included.
func between(from, to int) []int {
	list := make([]int, 0, max(0, to-from))
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}
