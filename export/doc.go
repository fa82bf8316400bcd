// Package export writes a session as something that can be handed on: a page, a
// text in Markdown, or a session file that pi opens.
//
// What is written has passed a redactor, when the caller gives one, before any of
// it is rendered: the page's tree, its search and its title hold the same words as
// its text. An export reads the session and changes nothing in it.
//
// # Invariants
//
//	X1  Every string of the session passes [Options.Redact] before it is written.
//	X2  A page loads nothing and sends nothing: one file, a policy by hashes.
//	X3  Memory does not grow with the bodies of messages: parts are written as
//	    they are made.
//	X4  The active path can be read without scripts.
//
// The package may still change.
//
// Stability: outside the core. Its exported names may still change.
package export
