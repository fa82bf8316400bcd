// Package pith is a session engine for coding agents: it reads, writes,
// branches and forks the append-only conversation trees that pi and
// pi-compatible agents keep in JSONL files.
//
// [Open] opens a [Session], [Create] starts one, [ContinueRecent] resumes the
// last one, [ForkFrom] copies one, and [InMemory] starts one that is never
// written to disk. A session has a current entry, the leaf. Appending adds a
// child to the leaf and moves the leaf to it; [Session.Branch] moves the leaf
// to another entry. [Session.Context] returns the messages that a model sees
// from the leaf. [Session.View] returns a read-only snapshot: entries, paths,
// children and the tree. The caller may retain everything that a view returns.
//
// # Guarantees
//
//   - Lines that pith did not write keep their bytes. Unknown entries, unknown
//     fields, key order and unusual escapes survive every operation.
//   - Opening changes nothing. The first append to a file of an old version
//     replaces the file atomically and keeps the old one as a backup.
//   - When an append returns without an error, the entry is in the file. When
//     it fails, the file and the leaf are unchanged.
//   - If another process wrote to the file, an append does not silently
//     continue: see [ConflictPolicy]. An entry that refers to another entry is
//     never written to a branch that lacks it.
//   - Calls that can block take a context and return soon after it is done.
//     Other calls never wait for a file or for a writer.
//   - A [View] or a [Context] stays readable while its session is open, even if
//     the file is replaced.
//   - [Session.Findings] reports damage. Damage is never skipped silently.
//
// A Session is safe for concurrent use by several goroutines. Several
// processes, including pi, may have the same file open.
//
// # Packages
//
// Each package imports only packages on its own line or below.
//
//	cmd/pith                                 the command, the terminal app, the servers
//	doctor  redact  export  replica          repair; secrets; HTML and other files; several machines
//	catalog/{search,cost,project}            all sessions: lists, search, totals
//	agent  llm  compact/{summarize}          live conversations; models; summaries
//	inspect/{diff}                           one session, described for people
//	pith  sessiondir                         the session; where sessions are stored
//	internal                                 implementation
//	store/{filestore,memstore,pgstore}       storage for logs of bytes
//	format                                   the lines of a session file
//
// # Stability
//
// The core is this package, format, store, filestore and memstore. Their
// exported names are stable. Packages outside the core may still change;
// docs/reference/packages.md has the promise of each.
package pith
