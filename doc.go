// Package pith is a session engine for coding agents: it reads, writes,
// branches and forks the append-only conversation trees that pi and its
// relatives keep in JSONL files.
//
// A [Session] is opened with [Open], started with [Create], picked up with
// [ContinueRecent], copied with [ForkFrom] or kept out of the disk with
// [InMemory]. It has a position, the leaf; appending adds a child to the leaf
// and moves it there, [Session.Branch] moves it elsewhere. [Session.Context] is
// what a model sees from the leaf. [Session.View] is a snapshot to read from:
// entries, paths, children and the tree. What it hands out may be kept.
//
// # What holds
//
//   - A line that pith did not write keeps its bytes, whatever is done with the
//     session: unknown entries, unknown fields, key order and odd escapes survive.
//   - Opening changes nothing. The first append to a file of an old version
//     replaces it atomically and keeps the old file as a backup.
//   - An append that returned is in the file; one that failed left the file and
//     the leaf as they were.
//   - If somebody else wrote to the file, an append does not go on silently: see
//     [ConflictPolicy]. An entry that refers to another one is never written to a
//     branch where that one is not.
//   - Calls that can wait take a context and return soon after it is done. The
//     others never wait for a file, nor for those who write to it.
//   - A [View] or a [Context] stays readable while its session is open, however
//     often the file is replaced.
//   - Damage is reported by [Session.Findings], never skipped in silence.
//
// A Session may be used by several goroutines at once. Several processes may
// have one file open; pi may be one of them.
//
// # The packages
//
// Each imports only what stands on its own line or below.
//
//	cmd/pith                                 the command, the terminal app, the servers
//	doctor  redact  export  replica          repairs; secrets; pages and files; many machines
//	catalog/{search,cost,project}            all sessions: listed, searched, added up
//	agent  llm  compact/{summarize}          a live conversation; models; summaries
//	inspect/{diff}                           one session, told to people
//	pith  sessiondir                         the session; where sessions live
//	internal                                 the engine's inside
//	store/{filestore,memstore,pgstore}       where logs of bytes are kept
//	format                                   what a line of a file is
//
// # Stability
//
// Core: this package, format, store, filestore and memstore. Their exported names
// stay. The packages outside the core may still change; each says so.
package pith
