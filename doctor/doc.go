// Package doctor finds and repairs damage in session files.
//
// [Check] checks one file, [Files] finds the files in a directory, [Fix]
// repairs a file and [Preview] reports the changes that a repair would make. A
// [Finding] gives its location, its consequence for the user and the effect of
// a repair, if there is one.
//
// The package never invents content. A fault that every program treats the same
// way, such as a tool call without a result, is reported and not repaired. It
// leaves a file alone that is too new, is not a session, or is
// read-only. Checking changes nothing.
//
// # Guarantees of a repair
//
//	D1  The previous file is kept as a backup next to the repaired one, byte for
//	    byte.
//	D2  Every entry is still there, in order. An entry that needed no change keeps
//	    its bytes; in the others only the members to be repaired change. A result
//	    that becomes a message is kept whole in its details. Nothing is added. Bytes
//	    that are not an entry (torn pieces, padding, copies of the header) are removed
//	    and remain only in the backup.
//	D3  Contexts only grow. An entry that had a parent keeps it; only a disconnected
//	    entry at the start of a path gets a new one. So the old path to any entry is
//	    the end of its new path, and a compaction keeps at least what it kept before. The
//	    messages of the contexts are also compared, newest branch first, up to a
//	    fixed number of bytes.
//	D4  The repaired file replaces the previous one atomically, and only if no other
//	    program wrote to it in the meantime.
//	D5  Repairing a repaired file changes nothing.
//
// D2 and D3 are verified on the repaired copy before it replaces the file; a
// copy that fails is discarded.
//
// Stability: outside the core. Its exported names may still change.
package doctor
