// Package near finds what a mistyped word was probably meant to be.
package near

import "strings"

// Word returns the candidate most like a word that was mistyped, or "" if none is
// close.
func Word(word string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		if c == "" {
			continue
		}
		n := distance(strings.ToLower(word), strings.ToLower(c))
		if n*2 > len(c) && !strings.HasPrefix(c, word) {
			continue // more than half of it differs
		}
		if n < least || best == "" && len(word) > 1 && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			best, least = c, min(n, least)
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap to make b of a.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
