// Package rpcserver serves the session engine to programs in any language:
// JSON-RPC 2.0 over two streams, one message per line, with the method and
// parameter names of pi's SessionManager.
//
// The package makes no decisions about sessions. It converts a request into a
// call of package pith, catalog or agent, and the result into a response. It
// reads no flags, and writes only responses, notifications and the requests of
// hooks to its output.
//
// # Invariants
//
//	R1  A message is a line that ends in LF. No other character ends one.
//	R2  Every request has one response, and a notification has none, whatever
//	    happens while it is served. No input from a client ends Serve.
//	R3  Requests of one session are served in order. Different sessions do not
//	    wait for each other. A long-running method of a conversation runs outside
//	    the order, but has started when the next request of the session is
//	    served. Methods without a session run on their own.
//	R4  Entries and messages in results have the bytes of the file.
//	R5  When the input ends, all requests are answered and every session is
//	    closed.
//
// # Error codes
//
// An error's data is an object whose kind is one of the names below. Codes and
// names are stable.
//
//	-32700  parse           the line is not JSON
//	-32600  invalidRequest  the line is JSON, but not a request
//	-32601  unknownMethod   there is no such method
//	-32602  invalidParams   a parameter is missing or invalid
//	-32603  internal        a bug in pith
//	-32001  notFound        there is no such file or session
//	-32002  notSession      the file is not a session
//	-32003  noEntry         the session has no entry with that ID
//	-32004  stale           others continued the session; nothing was appended
//	-32005  readOnly        the session or its file is read-only
//	-32006  tooNew          a newer program wrote the file; it can only be read
//	-32007  io              the system failed to read or write
//	-32008  unknownSession  the handle was never issued
//	-32009  exists          a session with this ID, or the file, exists
//	-32010  ambiguous       the reference matches several sessions
//	-32011  closed          the handle was closed
//	-32012  gone            the file was deleted or replaced while it was open
//	-32013  busy            other writers hold the file, or the conversation
//	                        is busy; try again
//	-32014  cancelled       the client cancelled it, or the server is ending
//	-32015  noModel         there is no such model, or no key for it
//	-32016  nothing         there is nothing to compact or to continue
//	-32017  aborted         it was aborted; the output so far is kept
//	-32018  vetoed          a hook decided against it; nothing has changed
//	-32019  modelFailed     the model did not respond
//	-32020  summaryFailed   no summary was written; nothing has changed
//	-32021  leak            the output still contained a secret; there is no file
//	-32022  tooMany         1,000 sessions are open; close one first
package rpcserver
