package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// counting is a contender that notes its turns and fails from a turn on.
func counting(name string, runs, failAt int, turns *[]string, counts map[string]int) contender {
	n := 0
	return contender{name, runs, func(context.Context) (reading, error) {
		*turns = append(*turns, name)
		n++
		if n == failAt {
			return reading{}, errors.New("out of paper")
		}
		return reading{values: map[string]value{"k": {amount: float64(n)}}, counts: counts}, nil
	}}
}

func TestRaceAlternates(t *testing.T) {
	var turns []string
	got, failed, err := race(t.Context(), trial{contenders: []contender{
		counting("pith", 3, 0, &turns, nil), counting("a", 2, 0, &turns, nil), counting("b", 1, 0, &turns, nil),
	}})
	if err != nil || len(failed) != 0 {
		t.Fatalf("race = %v, %v; want no errors", failed, err)
	}
	if want := []string{"pith", "a", "b", "pith", "a", "pith"}; !slices.Equal(turns, want) {
		t.Errorf("race took turns %v, want %v", turns, want)
	}
	if n := len(got["pith"]["k"]); n != 3 {
		t.Errorf("race kept %d values of pith, want 3", n)
	}
}

func TestRaceFailures(t *testing.T) {
	tests := map[string]struct {
		pithFails, otherFails int // turn in which the contender fails
		otherFinds            int
		err, failed           string
	}{
		"another fails":     {otherFails: 2, otherFinds: 7, failed: "out of paper"},
		"pith fails":        {pithFails: 1, otherFinds: 7, err: "out of paper"},
		"counts are unlike": {otherFinds: 8, err: "a found 8 entries where a run before it found 7"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var turns []string
			got, failed, err := race(t.Context(), trial{contenders: []contender{
				counting("pith", 3, tt.pithFails, &turns, map[string]int{"entries": 7}),
				counting("a", 3, tt.otherFails, &turns, map[string]int{"entries": tt.otherFinds}),
			}})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("race = %v; want an error with %q", err, tt.err)
				}
				return
			}
			if err != nil || failed["a"] == nil || failed["a"].Error() != tt.failed || got["a"] != nil {
				t.Errorf("race = %v, %v, %v; want a to be out with %q", got, failed, err, tt.failed)
			}
			if len(got["pith"]["k"]) != 3 {
				t.Errorf("race kept %d values of pith, want 3", len(got["pith"]["k"]))
			}
		})
	}
}
