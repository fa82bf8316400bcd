// Package rpcserver serves the session engine to programs in any language:
// JSON-RPC 2.0 over two streams, one message per line, with the method and
// parameter names of pi's SessionManager.
//
// The package decides nothing about sessions. It converts a request into a call of
// package ops, pith or agent, and the result into a response. It writes only responses,
// notifications and the requests of hooks to its output.
//
// # Invariants
//
//	R1  Every message is a line. Only LF ends a line.
//	R2  Every request gets exactly one response; a notification gets none. No
//	    input from a client ends Serve.
//	R3  Requests of one session run in order. Different sessions do not wait for
//	    each other. A long-running method of a conversation runs in the
//	    background, but has started before the next request of the session
//	    runs. Methods without a session run concurrently.
//	R4  Entries and messages in results keep the bytes of the file.
//	R5  At the end of the input, Serve answers all requests and closes every
//	    session.
//
// # Error codes
//
// The data of an error is an object with a kind, one of the names below. Codes and
// names are stable.
//
//	-32700  parse           the line is not JSON
//	-32600  invalidRequest  the line is not a request
//	-32601  unknownMethod   no such method
//	-32602  invalidParams   a parameter is missing or invalid
//	-32603  internal        a bug in pith
//	-32001  notFound        no such file or session
//	-32002  notSession      the file is not a session
//	-32003  noEntry         the session has no entry with that ID
//	-32004  stale           another writer continued the session; nothing was appended
//	-32005  readOnly        the session or its file is read-only
//	-32006  tooNew          a newer program wrote the file; it can only be read
//	-32007  io              the system failed to read or write
//	-32008  unknownSession  no such handle
//	-32009  exists          the session ID or the file exists already
//	-32010  ambiguous       the reference matches several sessions
//	-32011  closed          the handle was closed
//	-32012  gone            the file was deleted or replaced while it was open
//	-32013  busy            another writer has locked the file, or the
//	                        conversation is busy; try again
//	-32014  cancelled       the client canceled the request, or the server is
//	                        shutting down
//	-32015  noModel         no such model, or no key for it
//	-32016  nothing         nothing to compact or to continue
//	-32017  aborted         aborted; the output so far is kept
//	-32018  vetoed          a hook canceled the action; nothing has changed
//	-32019  modelFailed     the model did not respond
//	-32020  summaryFailed   the summary failed; nothing has changed
//	-32021  leak            the export contained a secret; no file was written
//	-32022  tooMany         1,000 sessions are open; close one first
package rpcserver
