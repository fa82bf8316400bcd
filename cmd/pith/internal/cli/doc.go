// Package cli is the pith command: its commands put together, signals, and how a
// process begins and ends.
//
// The commands are in the packages below, a family in each: show, list, edit,
// talk, chat, housekeep, repair, programs, fullscreen. They turn arguments into
// calls of the library, and what comes back into text or JSON. What they share
// is small: console (reading and writing), access (the user's sessions), exit
// (codes and errors), flags, and for printing layout, record and entrytree.
// Nothing else in the module reads flags or the environment of the command,
// writes to standard output or ends the process.
//
// # Invariants
//
//	K1  Results go to standard output, everything else to standard error.
//	K2  An error is one line on standard error and says what to do.
//	K3  Text from a session, a file name or an error passes through package
//	    termsafe before a terminal can see it.
//	K4  Colours and cutting to the width happen on a terminal alone.
//	K5  Nothing waits for an answer unless a person can give one.
//
// The outputs and exit codes that scripts may rely on are in docs/reference/json.md.
package cli
