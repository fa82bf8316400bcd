// Package jsonl reads and edits JSON text without building values from it, at
// close to the speed of memory, and writes JSON as JavaScript does.
//
// A session is a file of JSON lines that may be large, and most of its bytes
// are never needed. So this package validates a line (is it JSON, is it an
// object), finds the few top-level members that matter, and leaves the rest in
// place. An edit replaces the bytes of one value and copies all others, so that
// untouched text stays as its author wrote it: key order, escapes, white space,
// numbers and duplicate keys.
//
// It also reads the lines of files: see [Lines]. It is the only scanner of lines.
// It does not decode documents into Go values, and never panics on bad input.
//
// # Invariants
//
//	J1  The verdict on a text is that of JavaScript's JSON.parse on the decoded
//	    text. Readers decode bytes that are not UTF-8 to U+FFFD, so such bytes
//	    are accepted inside strings and only there.
//	J2  Of several members with one name, the last counts.
//	J3  Nothing here recurses on the nesting of its input.
//	J4  Editing changes only the bytes of the named member.
//	J5  A string literal that was decoded and written again has the same
//	    meaning, even if it contains an unpaired surrogate.
package jsonl
