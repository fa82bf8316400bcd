// Package catalog finds sessions. It lists the sessions of a project or of all
// projects, under the directories of pi and of the programs that share its
// format, and resolves the references by which people name a session or an
// entry.
//
// Resolving a reference reads only headers; call Facts for the rest. The core
// package decides how a line is classified and where the leaf of a session is:
// the facts in a list are those of the opened session.
//
// Session files are only read: every list reflects the files at that moment. A
// file is read once, from start to end, through a small buffer, and only the
// text of messages is decoded. If a file does not belong to the requested
// project, only its header is read. With an Index, which is stored in a cache
// directory, facts are remembered, and the cost of a list depends on the
// changes: a stat of every directory and file, and the bytes that were
// appended.
//
// # Invariants
//
//	C1  The facts of a session are those that pi's own list shows. Sessions that pi
//	    loses (a message without content, a line that is not an object) are listed.
//	C2  A bad file hides no other: a file that cannot be read, is not regular or is
//	    not a session is skipped.
//	C3  A session belongs to a project by the working directory in its header, not
//	    by the directory of its file, because pi's directory names collide.
//	C4  A file is listed once, however many links and roots lead to it.
//	C5  Memory does not grow with the size of the files, except for the longest
//	    line, a few bytes for each entry of one file, and requested texts.
//	C6  A list with an index equals the list without it, whatever the state of the
//	    index and whatever is written to the files meanwhile.
//	C7  Leaving a list early, or canceling its context, ends its goroutines before
//	    the range statement ends.
//
// Stability: outside the core. Its exported names may still change.
package catalog
