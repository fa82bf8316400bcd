// Package lazyregexp compiles patterns on first use. Compiling them when a
// package is loaded would cost time at every start of a program.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles a pattern on its first call. The call
// panics if the pattern is invalid, as regexp.MustCompile does.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
