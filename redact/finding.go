package redact

import (
	"cmp"
	"slices"
)

// A Kind says how a finding was made, and so how sure it is.
type Kind uint8

const (
	// Known is a value that the user really has. It is never a false alarm.
	Known Kind = iota
	// ByRule is what has the form of a secret.
	ByRule
	// ByEntropy is a random value beside the name of a secret.
	ByEntropy
	// ByName is a name that the user chose to hide.
	ByName
)

func (k Kind) String() string {
	return [...]string{"known", "rule", "entropy", "name"}[k]
}

// Encoding says what a secret was written in, besides the line's own JSON.
type Encoding uint8

const (
	// Escaped is inside of escapes, codes for terminals, or percent signs.
	Escaped Encoding = 1 << iota
	// Base64 is inside of base64, of digits or of compressed data; then all of that
	// run, or of those lines of a dump, is replaced.
	Base64
)

// A Finding is one place where something was replaced. It never holds the value.
type Finding struct {
	// Rule is what the placeholder says: the ID of a rule, the name of a known
	// secret, or what kind of name it is.
	Rule string
	Kind Kind
	// Number is the same for the same value, within one Redactor and Rule.
	Number int
	// Line is the number of the line, from 1, where a whole file was looked at.
	Line int
	// Offset is where it stood in the line or text that was given, in bytes.
	Offset int
	// Path leads to the string in the line, as a JSON pointer (RFC 6901) into the
	// redacted line. It is "" for text and for lines that are no JSON.
	Path string
	// Key says that it stood in the name of the member, not in its value.
	Key bool
	// Encoding is what it was hidden in.
	Encoding Encoding
}

// A Count is how often a rule was found.
type Count struct {
	Rule    string
	Kind    Kind
	Secrets int // different values
	Places  int
}

// Tally counts findings by rule: the surest first, then the most frequent.
func Tally(found []Finding) []Count {
	type key struct {
		rule string
		kind Kind
	}
	at := map[key]int{}
	seen := map[key]map[int]bool{}
	var counts []Count
	for _, f := range found {
		k := key{f.Rule, f.Kind}
		i, there := at[k]
		if !there {
			i = len(counts)
			at[k], seen[k] = i, map[int]bool{}
			counts = append(counts, Count{Rule: f.Rule, Kind: f.Kind})
		}
		counts[i].Places++
		if !seen[k][f.Number] {
			seen[k][f.Number] = true
			counts[i].Secrets++
		}
	}
	slices.SortStableFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Secrets, a.Secrets), cmp.Compare(b.Places, a.Places), cmp.Compare(a.Rule, b.Rule))
	})
	return counts
}
