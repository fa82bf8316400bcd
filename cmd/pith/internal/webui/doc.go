// Package webui shows sessions in a browser: a list with search, a session as
// tree and conversation, live, two branches side by side, and costs.
//
// It reads from the catalog and the engine, keeps only open sessions, and changes
// nothing: pages show the commands that do.
// The page of a session is the one that package export writes, from another
// source.
//
// # Invariants
//
//	W1  Only a loopback address is served, unless another one was requested.
//	W2  A request must name a host that is served: another site cannot reach
//	    the server under its own name.
//	W3  A request from another site is rejected.
//	W4  Every start has its own token. It is in the fragment of the URL, which
//	    no server and no log sees. A page keeps it for its tab and sends it in a
//	    header. Nothing that a browser sends by itself, such as a cookie, grants
//	    access.
//	W5  Only GET and HEAD are allowed.
//	W6  A session is named by its ID and found in the catalog. No URL is a path.
package webui
