// Package catalog finds sessions: it lists those of a project or of all
// projects, under the folders of pi and of the programs that share its format,
// and resolves the references by which people name a session or an entry.
//
// A reference leads to a session by headers alone; who prints facts asks for them.
// What a line is and where a session stands is decided by the engine: the facts of a
// list are those that the opened session tells.
//
// Of sessions it only reads: every list is made from the files as they are at
// that moment. A file is read once, from front to back, through a small buffer,
// and no message is decoded except for its text. Of a file that is not of the
// project asked for, only the header is read. With an Index, which lives in a
// cache folder, what was read is remembered, and a list costs what changed: a
// look at every folder and file, and the bytes that were appended.
//
// # Invariants
//
//	C1  The facts of a session are those that pi's own list shows. Where pi loses
//	    a session (a message without content, a line that is no object) it is
//	    listed here.
//	C2  One bad file hides no other: what cannot be read, is no regular file or is
//	    no session is passed over.
//	C3  A session belongs to a project by the working directory in its header, not
//	    by the folder that its file lies in, because pi's folder names collide.
//	C4  A file is listed once, however many links and roots lead to it.
//	C5  Memory does not grow with the size of the files, except for the longest
//	    line, a few bytes for each entry of one file, and the text that was asked for.
//	C6  A list with an index is the list without it, whatever state the index is
//	    in and whoever writes to the files meanwhile.
//	C7  Leaving a list early, or cancelling its context, ends its goroutines before
//	    the range statement ends.
//
// Stability: outside the core. Its exported names may still change.
package catalog
