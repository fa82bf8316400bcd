// Package webui shows sessions in a browser: a list with search, a session as tree
// and conversation, live, two branches side by side, what was spent, what is wrong.
//
// It only reads, from the catalog and the engine, and keeps nothing but what is open.
// The page of a session is the one that package export writes, over another source.
//
// # Invariants
//
//	W1  Only a loopback address is served, unless another one was asked for.
//	W2  A request must name a host that is served: a page elsewhere cannot reach it
//	    under a name of its own.
//	W3  A request that another site made is refused.
//	W4  Every start has a token of its own. It stands in the fragment of the address,
//	    which no server and no log sees. A page keeps it for its tab and sends it in
//	    a header; nothing that a browser sends by itself, such as a cookie, admits.
//	W5  Nothing but GET and HEAD.
//	W6  A session is named by its id and found in the catalog; no address is a path.
package webui
