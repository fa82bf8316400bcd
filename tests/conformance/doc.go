// Package conformance holds tests only: the vectors that pi 1.5.0 gave, and the
// real pi on the other side of a file.
//
// The vectors stand in testdata/vectors; PITH_VECTORS names another folder of
// the same form.
package conformance
