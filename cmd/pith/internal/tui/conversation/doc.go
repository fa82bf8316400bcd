// Package conversation is the screen on which a session is read: what was said, what
// tools did, what was summarised, from the first word to the last.
//
// Exchanges are read beside the screen, those around the place that is shown,
// and an item is drawn when it comes into sight. What a session says becomes
// harmless before anything else is done with it; markdown is drawn from text
// that is harmless already.
//
// # Invariants
//
//	S1  No key waits for a file. What has not been read shows as a line with dots.
//	S2  Memory holds the exchanges around the place that is shown, not the session.
//	S3  The line at the top stays where it is when something is read, unfolded
//	    below it, or appended; at the end the page follows what is appended.
//	S4  What is drawn holds no sequence but colours (S4 is tested with hostile text).
package conversation
