// Package cli is the pith command: its commands put together, signals, and the
// start and end of the process.
//
// The commands are in the packages below, a family in each: agents, askmodel,
// chat, edit, firststeps, fullscreen, housekeep, list, repair, servers, share,
// show, team. They turn arguments into calls of the library, and the results
// into text or JSON. They share a few packages: console (input and output),
// lookup (the user's sessions), exit (codes and errors), flags, and for
// printing layout and entrytree. Nothing else in the module reads flags or the
// environment of the command, writes to standard output or ends the process.
//
// # Invariants
//
//	K1  Results go to standard output, everything else to standard error.
//	K2  An error is one line on standard error and says what to do.
//	K3  Text from a session, a file name or an error passes through package
//	    termsafe before it reaches a terminal.
//	K4  Colors and cutting to the width happen only on a terminal.
//	K5  Nothing waits for an answer unless a person can give one.
//
// The outputs and exit codes that scripts may rely on are in
// docs/reference/json.md and docs/reference/conventions.md.
package cli
