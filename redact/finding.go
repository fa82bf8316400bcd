package redact

import (
	"cmp"
	"slices"
)

// A Kind is the way in which a finding was made, and so its certainty.
type Kind uint8

const (
	// Known is a value that the user really has. It is never a false positive.
	Known Kind = iota
	// ByRule is a value with the form of a secret.
	ByRule
	// ByEntropy is a random value assigned to a name that indicates a secret.
	ByEntropy
	// ByName is a name that the user chose to hide.
	ByName
	// Suspect is a value that looks random, although nothing says that it is a
	// secret.
	Suspect
)

func (k Kind) String() string {
	return [...]string{"known", "rule", "entropy", "name", "suspect"}[k]
}

// A Finding is one replaced match. It never contains the value.
type Finding struct {
	// Rule is the name in the placeholder: the ID of a rule, the name of a
	// known secret, or the kind of a name.
	Rule string
	Kind Kind
	// Number is the same for the same value, within one Redactor and Rule.
	Number int
	// Line is the line number, 1-based, if a whole file was scanned.
	Line int
	// Path is the location of the string in a line of JSON, as a JSON pointer
	// (RFC 6901) without secrets.
	Path string
}

// A Count is the number of findings of a rule.
type Count struct {
	Rule    string
	Kind    Kind
	Secrets int // distinct values
	Places  int
}

// Tally counts findings by rule: the most certain first, then the most
// frequent.
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
