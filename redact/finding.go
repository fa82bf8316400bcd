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
	Rule string `json:"rule"`
	Kind Kind
	// Number is the same for the same value, within one Redactor and Rule.
	Number int `json:"number"`
	// Line is the line number, 1-based, if a whole file was scanned.
	Line int `json:"line,omitempty"`
	// Path is the location of the string in a line of JSON, as a JSON pointer
	// (RFC 6901) without secrets.
	Path string `json:"path"`
}

// A Count is the number of findings of a rule.
type Count struct {
	Rule    string `json:"rule"`
	Kind    Kind   `json:"kind"`
	Secrets int    `json:"secrets"` // distinct values
	Places  int    `json:"places"`
}

// Tally counts findings by rule: the most certain first, then the most
// frequent.
func Tally(found []Finding) []Count {
	found = slices.SortedFunc(slices.Values(found), func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Number, b.Number))
	})
	var counts []Count
	for i, f := range found {
		sameRule := i > 0 && found[i-1].Kind == f.Kind && found[i-1].Rule == f.Rule
		if !sameRule {
			counts = append(counts, Count{Rule: f.Rule, Kind: f.Kind})
		}
		last := &counts[len(counts)-1]
		last.Places++
		if !sameRule || found[i-1].Number != f.Number {
			last.Secrets++
		}
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Secrets, a.Secrets), cmp.Compare(b.Places, a.Places), cmp.Compare(a.Rule, b.Rule))
	})
	return counts
}
