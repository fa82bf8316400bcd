// Package export writes a session for sharing: as an HTML page, a Markdown
// text, a session file that pi opens, or a trajectory.
//
// If the caller configures redaction, it happens before any rendering: the
// page's tree, its search and its title contain the same words as its text. An
// export reads the session and does not change it.
//
// # Invariants
//
//	X1  Every string of the session passes [Options.Redact] before it is written.
//	X2  A page loads nothing and sends nothing: one file, a policy by hashes.
//	X3  Memory does not grow with the bodies of messages: parts are written as
//	    they are made.
//	X4  The active path is readable without scripts.
//
// The package may still change.
//
// Stability: outside the core. Its exported names may still change.
package export
