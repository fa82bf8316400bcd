// Package conformance holds only tests: the vectors recorded from pi 1.5.0, and
// tests with the real pi.
//
// The vectors are in testdata/vectors; PITH_VECTORS names another directory of
// the same form.
package conformance
