// Package inspect tells a session to people and to programs: as exchanges, each a
// message of the user and all that followed it, and as views of them: a table of
// contents, what went wrong, tools, files, costs.
//
// The package returns data. It prints nothing, knows no colours and no widths,
// and makes no text harmless: whoever shows its strings must do that. It writes
// to no session and follows no path out of one.
//
// # Invariants
//
//	R1  Every entry of the path belongs to exactly one exchange, in order.
//	R2  Boundaries of exchanges come from envelopes: finding them reads no line.
//	R3  Memory is bounded by the exchange at hand and by Detail.MaxContent, not
//	    by the session.
//	R4  What is left out is counted: a text that was cut says by how much, a
//	    selection says how many exchanges there are.
//	R5  A line that cannot be understood is an item like any other, never an error.
//
// Stability: outside the core. Its exported names may still change.
package inspect
