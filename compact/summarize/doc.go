// Package summarize writes the summaries that take the place of what a model no
// longer sees: by a model, by a program, or by neither.
//
// [Model] asks a model. [Command] runs a program, which may be another agent.
// [Extract] needs neither: it picks out what was said and done, so that work can
// go on where no model is configured. [Choose] makes one of them by its name.
// Each is a [compact.Summarizer].
//
// The package writes no entry and changes no session. What it reads was said by
// models, tools and web pages: it is quoted, never obeyed.
//
// The package stands above the core of pith (the root, format and store): its API
// may still change.
//
// # Invariants
//
//	Z1  A summary that is not whole is an error and not a text: when it was cut
//	    off, aborted, refused or empty, or when a program failed.
//	Z2  A summary is valid UTF-8. Nothing else about the text is changed: control
//	    characters of a session stay, and whoever shows them makes them harmless.
//	Z3  Extract gives the same bytes for the same prompt, and no more than its
//	    limit, however long the conversation is.
//
// Stability: outside the core. Its exported names may still change.
package summarize
