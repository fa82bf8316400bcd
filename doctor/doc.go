// Package doctor finds what is wrong with session files and repairs it.
//
// [Check] looks at one file, [Files] finds the files of folders, [Fix] repairs a
// file and [Preview] says what a repair would change. A [Finding] says where it is,
// what it means for the user and what a repair would do about it; some say that
// there is nothing to do.
//
// The package makes up nothing that somebody said or did. Where a tool was called
// and never answered it writes that there is no result, unless the tool may still
// be at work; where a character cannot be sent it writes the replacement that
// everybody sees there. A file is left alone that is too new, is no session, or is
// read-only. Checking changes nothing.
//
// # What a repair holds
//
//	D1  The former file is kept beside the repaired one, byte for byte.
//	D2  Every entry is still there, in its order. One that needed no change keeps
//	    its bytes; in the others only the members and characters change that the
//	    repair is about. A result that becomes a message is in its details, whole.
//	    What is added are the results of calls that had none, each right behind what
//	    it follows, and at the end the place where the session goes on. Bytes that
//	    hold no entry (torn pieces, padding, copies of the header) are left out and
//	    live on in the kept file alone.
//	D3  Contexts only grow. An entry that had a parent keeps it, or has added results
//	    between; only an entry that stood cut off at the start of a path gets a new
//	    one. So the old path to any entry is the end of its new path, but for such
//	    results, and a compaction keeps at least what it kept. The messages of the
//	    contexts themselves are compared too, newest branch first, as far as that
//	    takes no more steps than a fixed number.
//	D4  The repaired file takes the place of the former one at once, and only if
//	    nobody wrote to that meanwhile.
//	D5  Repairing a repaired file changes nothing.
//
// D2 and D3 are verified on the repaired copy before it takes its place; a copy that
// fails is thrown away.
//
// Stability: outside the core. Its exported names may still change.
package doctor
