// Package cli is the pith command: flags, environment, exit codes and what
// people and scripts read.
//
// It holds no knowledge of sessions. Each subcommand has a file; it turns
// arguments into calls of package pith, catalog, trash or rpc, and what comes
// back into text or JSON. Nothing else in the module reads flags or the
// environment of the command, writes to standard output or ends the process.
//
// # Invariants
//
//	K1  Results go to standard output, everything else to standard error.
//	K2  An error is one line on standard error and says what to do.
//	K3  Text from a session, a file name or an error passes through package
//	    plain before a terminal can see it.
//	K4  Colours and cutting to the width happen on a terminal alone.
//	K5  Nothing waits for an answer unless a person can give one.
//
// The outputs and exit codes that scripts may rely on are in docs/cli.md.
package cli
