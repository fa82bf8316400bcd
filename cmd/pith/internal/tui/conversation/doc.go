// Package conversation implements the screen on which a session is read:
// messages, tool calls and summaries, from the first to the last.
//
// Turns around the shown place are read in the background, and an item is
// drawn when it becomes visible. Text of a session is escaped before anything
// else is done with it; Markdown is rendered from escaped text.
//
// # Invariants
//
//	S1  No key waits for a file. An unread part is shown as a line with dots.
//	S2  Memory contains the exchanges around the shown place, not the session.
//	S3  The line at the top stays in place when something is read, unfolded below
//	    it, or appended; at the end the page follows appended lines.
//	S4  Drawn lines contain no sequences except colors (S4 is tested with hostile text).
package conversation
