// Package corpus makes sessions for tests and benchmarks: realistic ones of any
// size, one for every way in which a session file can be odd, and those that are
// kept as files: the zoo of subagents and the samples of `pith demo`.
//
// Tests compare pith with it, so it does not use pith's own encoder: lines are
// put together here as pi would write them, key for key. It imports nothing of
// pith outside tests, reads no clock, and takes no randomness from outside.
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
