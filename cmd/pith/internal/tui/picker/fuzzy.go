package picker

import (
	"strings"
	"unicode"
)

// fuzzy scores a word whose letters occur in text in their order, not
// necessarily side by side; lower is better. Both are in lower case. The weights
// are pi's, so that both programs put the same session first.
func fuzzy(word, text string) (float64, bool) {
	if word == "" {
		return 0, true
	}
	if score, ok := subsequence(word, text); ok {
		return score, true
	}
	swapped, ok := swapParts(word)
	if !ok {
		return 0, false
	}
	score, ok := subsequence(swapped, text)
	return score + 5, ok
}

func subsequence(word, text string) (float64, bool) {
	want := []rune(word)
	score, run, last, k := 0.0, 0, -1, 0
	i, before := 0, rune(' ')
	for _, r := range text {
		if k < len(want) && r == want[k] {
			if last == i-1 { // as in pi, also for the first letter of the text
				run++
				score -= 5 * float64(run)
			} else {
				run = 0
				if last >= 0 {
					score += 2 * float64(i-last-1)
				}
			}
			if startsWord(before) {
				score -= 10
			}
			score += 0.1 * float64(i)
			last = i
			k++
		}
		before = r
		i++
	}
	if k < len(want) {
		return 0, false
	}
	if word == text {
		score -= 100
	}
	return score, true
}

func startsWord(before rune) bool {
	return unicode.IsSpace(before) || strings.ContainsRune("-_./:", before)
}

// swapParts turns letters and digits around: for "gpt4" it tries "4gpt".
func swapParts(word string) (string, bool) {
	i := strings.IndexFunc(word, unicode.IsDigit)
	if i == 0 {
		i = strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
	}
	if i <= 0 {
		return "", false
	}
	a, b := word[:i], word[i:]
	return b + a, uniform(a) && uniform(b)
}

// uniform reports whether a part is all letters or all digits.
func uniform(part string) bool {
	digits := unicode.IsDigit(rune(part[0]))
	for _, r := range part {
		if unicode.IsDigit(r) != digits || !digits && !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
