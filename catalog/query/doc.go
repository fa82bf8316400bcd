// Package query is the language in which people and programs choose sessions
// and their entries:
//
//	parser "connection refused" conf* -draft re:"func \w+" status:pending,error -tag:x cost:>5
//
// A query consists of items, separated by spaces. All of them must hold.
//
//	word             a whole word; letter case and accents do not matter
//	foo_bar.go       adjacent words, in this order
//	"a phrase"       the same for words with spaces
//	conf*            words that start with conf
//	re:EXPR          a regular expression; re:"EXPR" if it contains spaces;
//	                 letter case matters only if it has a capital letter
//	name:VALUE       a filter, see [Filters]
//	name:A,B         one of several values
//	-word  -name:A   not this one
//
// Quotes make text of everything: a colon, a comma or a minus in them has no
// meaning, and "" in them is one quote. A missing last quote is assumed at the
// end. Names of filters may be in upper case. Addresses, times and the like are
// words, although they have colons.
//
// The package parses queries and matches filters. Package search matches words.
//
// Stability: outside the core. Its exported names may still change.
package query
