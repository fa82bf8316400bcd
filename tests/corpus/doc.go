// Package corpus makes sessions: realistic ones of any size for benchmarks and
// tests, a handful written by hand for the demo, and one for every way in which
// a session file can be odd.
//
// It is the other hand of the tests, so it does not use pith's own encoder:
// lines are put together here as pi would write them, key for key. It imports
// nothing but the standard library and the packages below its own folder, reads
// no clock, and takes no randomness from outside.
//
// # Invariants
//
//	C1  The same options give the same bytes, on every machine and in every
//	    release, until ContentVersion changes.
//	C2  What Session writes is a valid v3 session: every parent exists before
//	    its child, ids are unique, every kept entry of a compaction and every
//	    target of a label lies on the path, every tool result follows its call.
//	C3  JavaScript would print every line of Session and Demo exactly as it
//	    stands, but for the damage that a demo has on purpose.
package corpus

// ContentVersion counts the changes of generated content. Cached files carry
// it in their names.
const ContentVersion = 1
