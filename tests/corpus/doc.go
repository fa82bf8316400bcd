// Package corpus makes sessions for tests and benchmarks: realistic ones of any
// size, one for every way in which a session file can be odd, and stored ones:
// the zoo of subagents and the samples of `pith demo`.
//
// Tests compare pith with it, so it does not use pith's own encoder: it builds
// lines as pi would write them, key for key. It imports nothing of pith outside
// tests, reads no clock, and uses no external randomness.
//
// # Invariants
//
//	C1  The same options give the same bytes, on every machine and in every
//	    release, until ContentVersion changes.
//	C2  Session writes a valid v3 session: every parent exists before its
//	    child, IDs are unique, every kept entry of a compaction and every target
//	    of a label is on the path, every tool result follows its call.
//	C3  JavaScript would print every line of Session and Demo with the same
//	    bytes, except for the damage that a demo has on purpose.
package corpus

// ContentVersion counts the changes of generated content. Cached files carry
// it in their names.
const ContentVersion = 1
