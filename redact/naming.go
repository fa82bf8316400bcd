package redact

import (
	"bytes"
	"slices"
	"strings"
)

// This file knows the names of secrets.

// lists are the lists of words of rules/words.txt and rules/lists.txt, by title.
var lists = func() map[string][]string {
	all, title := map[string][]string{}, ""
	for line := range strings.Lines(string(ruleFile("rules/words.txt")) + string(ruleFile("rules/lists.txt"))) {
		if line[0] == '#' {
			continue
		}
		if head, words, ok := strings.Cut(line, ": "); ok {
			title, line = head, words
		}
		for _, word := range strings.Fields(line) {
			all[title] = append(all[title], strings.ReplaceAll(word, "␣", " "))
		}
	}
	return all
}()

func isListed(title, word string) bool { return slices.Contains(lists[title], word) }

// hasListed reports whether a text contains a word of a list.
func hasListed(title, text string) bool {
	return slices.ContainsFunc(lists[title], func(word string) bool { return strings.Contains(text, word) })
}

// A weight is what a name says about its value.
type weight uint8

const (
	noSecret  weight = iota
	login            // a user, and maybe a password
	generated        // a key that a program made up
	madeUp           // a password that a person may have made up
)

// nameWords are the words of rules/words.txt.
var nameWords = func() map[string]weight {
	all := map[string]weight{}
	for title, words := range lists {
		for w, kind := range [...]string{login: "login ", generated: "generated ", madeUp: "made up "} {
			for _, word := range words {
				if w > 0 && strings.HasPrefix(title, kind) {
					all[word] = weight(w)
				}
			}
		}
	}
	return all
}()

// shortWord is the length up to which a word has other meanings, and so counts
// only at the end of a name.
const shortWord = 4

// weigh returns what a name says about its value.
func weigh(name string) weight {
	if w := nameWords[strings.ToLower(name)]; w != noSecret {
		return w
	}
	words := wordsOf(name)
	if len(words) == 0 || isPlainName(words) {
		return noSecret
	}
	heaviest := noSecret
	for i, word := range words {
		if len(word) <= shortWord && i < len(words)-1 {
			continue // passStruct, keyCode
		}
		w := nameWords[word]
		if w == noSecret && !isListed("other words", word) {
			for _, end := range lists["name ends"] {
				if strings.HasSuffix(word, end) {
					w = max(w, nameWords[end])
				}
			}
		}
		heaviest = max(heaviest, w)
	}
	return heaviest
}

// indicatesSecret reports whether a name indicates that its value is a secret.
func indicatesSecret(name string) bool { return weigh(name) > login }

// A name is an identifier with a word that means secret.
type name struct {
	span
	// alone is set for a word that is not a part of an identifier, because its
	// language does not part words.
	alone bool
}

var inWord = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

// nameAround returns the name around the word at..end. ok is false if the word
// is a part of another one, as in keyboard.
func nameAround(text []byte, at, end int) (n name, ok bool) {
	if text[at] >= 0x80 || text[end-1] >= 0x80 {
		return name{span{at, end}, true}, true
	}
	letter := text[end-1]
	if end < len(text) && text[end] == 's' {
		end++
	}
	if end < len(text) && ('a' <= text[end] && text[end] <= 'z' || 'A' <= text[end] && text[end] <= 'Z' && !('a' <= letter && letter <= 'z')) {
		return name{}, false
	}
	if short := end-at < 4; short && at > 0 && isAlnum(text[at-1]) && !('A' <= text[at] && text[at] <= 'Z' && text[at-1] >= 'a') {
		return name{}, false
	}
	start := at
	for limit := max(0, at-40); start > limit && inWord[text[start-1]]; start-- {
	}
	last := skip(text, end, 20, inWord)
	if dashes := bytes.Index(text[end:last], []byte("--")); dashes >= 0 { // of a PEM block
		return name{}, false
	}
	n = name{span{start, last}, false}
	return n, n.end-n.start < 60 && jumbled(text[n.start:n.end], 8, surprising) == 0
}

// isStrong reports whether the name indicates a secret even if the value looks
// like a hash or a UUID.
func (n name) isStrong(text []byte) bool {
	joined := unparted.Replace(strings.ToLower(string(text[max(0, n.start-8):n.end])))
	return hasListed("strong names", joined) && !hasListed("hash names", joined)
}

var (
	unparted = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")
)
