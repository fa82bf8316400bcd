// Package search finds entries by what stands in them: words, phrases, beginnings
// of words and regular expressions, in what was said and thought, in tool calls
// and their results, in summaries, labels and names, on all branches of all
// sessions.
//
// An index, if there is one, names candidates; a scan of the files finds the
// others. Either way the entry itself has the last word: its line is decoded and
// its text compared. So a search never depends on the state of an index, and what
// only looks like a hit in the raw file (the name of a JSON member, an escape) is
// none. Sessions are never changed.
//
// # Invariants
//
//	S1  The hits are the same with an index, without one, and with one that knows
//	    a part of the sessions or is changed by another process meanwhile. In the
//	    order Best this holds up to the limit: of more hits than that, the index
//	    and a scan may prefer different ones.
//	S2  A word is found wherever it stands as a whole word, however the file
//	    escapes it, in any letter case, with accents or without.
//	S3  Memory does not grow with the sessions, except for the longest line and
//	    the hits that were asked for.
//	S4  No regular expression runs over a line that cannot match, if it has any
//	    literal text that tells.
//
// Stability: outside the core. Its exported names may still change.
package search
