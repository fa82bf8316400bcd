// Package lazyregexp compiles patterns when they are first asked for. A pattern that
// is compiled when its package is loaded is paid for by every start of a program.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles a pattern at its first call. It panics then if
// the pattern is wrong, as regexp.MustCompile does.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
