package bitset_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/internal/bitset"
)

// A set agrees with a list of its members.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(t, "size")
		every := rapid.IntRange(1, 700).Draw(t, "every")
		s := bitset.New(n)
		var members []int
		for i := range n {
			if i%every == 0 || rapid.IntRange(0, 50).Draw(t, "extra") == 0 {
				s.Add(i)
				members = append(members, i)
			}
		}
		if got := s.Count(); got != len(members) {
			t.Fatalf("Count() = %d, want %d", got, len(members))
		}
		below := 0
		for i := range n + 1 {
			if got := s.Rank(i); got != below {
				t.Fatalf("Rank(%d) = %d, want %d", i, got, below)
			}
			is := below < len(members) && members[below] == i
			if i < n && s.Has(i) != is {
				t.Fatalf("Has(%d) = %v", i, !is)
			}
			if below < len(members) && s.Next(i) != members[below] {
				t.Fatalf("Next(%d) = %d, want %d", i, s.Next(i), members[below])
			}
			if is {
				below++
			}
		}
		for k, want := range members {
			if got := s.Select(k); got != want {
				t.Fatalf("Select(%d) = %d, want %d", k, got, want)
			}
		}
	})
}
