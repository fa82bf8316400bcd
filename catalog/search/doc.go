// Package search finds entries by their text: words, phrases, prefixes of words
// and regular expressions, in messages and thinking, in tool calls and their
// results, in summaries, labels and names, on all branches of all sessions.
//
// An index, if there is one, supplies candidates; a scan of the files finds the
// others. In both cases the entry itself is checked: its line is decoded and
// its text compared. So a search never depends on the state of an index, and
// text that only looks like a hit in the raw file (the name of a JSON member,
// an escape) does not match. Sessions are only read.
//
// # Invariants
//
//	S1  The hits are the same with an index, without one, and with one that has
//	    only some of the sessions or is changed by another process meanwhile. In
//	    the order Best this holds up to the limit: of more hits than that, the
//	    index and a scan may prefer different ones.
//	S2  A word is found wherever it occurs as a whole word, however the file
//	    escapes it, in any letter case, with or without accents.
//	S3  Memory does not grow with the sessions, except for the longest line and
//	    the requested hits.
//	S4  A line that lacks a word of the query is not decoded, if that can be seen
//	    from its bytes.
//
// Stability: outside the core. Its exported names may still change.
package search
