// Package summarize writes the summaries that replace the part of a
// conversation that a model no longer sees. A model writes them, or a program,
// or neither.
//
// [Model] asks a model. [Command] runs a program, which may be another agent.
// [Extract] needs neither: it quotes requests and the last answer, so that work
// can continue without a model. [Choose] returns one of them by name. Each is a
// [compact.Summarizer].
//
// The package writes no entry and changes no session. Its input comes from
// models, tools and web pages: it is quoted, never obeyed.
//
// # Invariants
//
//	Z1  An incomplete summary is an error and not a text: if it was cut off,
//	    aborted, refused or empty, or if a program failed.
//	Z2  A summary is valid UTF-8. Nothing else about the text of a model or a
//	    program is changed: it may contain control characters, which front ends
//	    must escape. The text of Extract contains none.
//	Z3  Extract returns the same bytes for the same prompt, and about 6,000
//	    tokens at most, however long the conversation is.
//
// Stability: outside the core. Its exported names may still change.
package summarize
