// Package webui shows sessions in a browser: a list with search, a session as
// tree and conversation, live, two branches side by side, costs and findings.
//
// It reads from the catalog and the engine, and keeps only open sessions. It changes
// sessions only with Config.Write, by the functions that the commands use.
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
//	W5  Only GET and HEAD are allowed. With Config.Write, so is POST of JSON below
//	    /do/ by a page of this server: the request must name its origin.
//	W6  A session is named by its ID and found in the catalog. No URL is a path.
package webui
