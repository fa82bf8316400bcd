// Package inspect describes a session for people and programs: as turns,
// each a user message and everything up to the next one, and as views of them:
// a table of contents, issues, tools, files, costs.
//
// The package returns data. It prints nothing, knows neither colors nor widths,
// and does not escape text: front ends must do that. It never writes to a
// session and opens no other file.
//
// # Invariants
//
//	R1  Every entry of the path belongs to exactly one turn, in order.
//	R2  Boundaries of turns come from envelopes: finding them reads no line.
//	R3  Memory is bounded by the current turn and by Detail.MaxContent, not
//	    by the session.
//	R4  Omissions are counted: a truncated text has the number of omitted
//	    characters, a selection the number of all turns.
//	R5  A line that cannot be decoded is an item like any other, never an error.
//
// Stability: outside the core. Its exported names may still change.
package inspect
