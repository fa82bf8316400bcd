package spending

import "testing"

// Package subagent reads only lists of these names, wherever white space is.
func TestHasRuns(t *testing.T) {
	for details, want := range map[string]bool{
		`{"mode":"single","results":[]}`:        true,
		"{\"a\":[1],\"completions\" :\n\t[{}]}": true,
		`{"results":7,"x":[1]}`:                 false,
		`{"diff":"\"results\":[]"}`:             false,
		`["results",["completions"]]`:           false,
		`{"myresults":[1]}`:                     false,
		`null`:                                  false,
		``:                                      false,
	} {
		if got := hasRuns([]byte(details)); got != want {
			t.Errorf("hasRuns(%s) = %t; want %t", details, got, want)
		}
	}
}
