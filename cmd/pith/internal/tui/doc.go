// Package tui implements the terminal app: it shows the sessions, one of them,
// its tree, and runs a conversation in it.
//
// The screens are packages of their own: picker, treeview, conversation and the
// dialogs over them. The open session is in package live. This package is the
// router between them: [App] decides what is on top and passes the keys to it,
// chat combines the conversation with an editor and a footer, commands
// implements the slash commands, library represents all sessions. Everything
// that reads, writes or waits runs in the background; an update never blocks.
//
// # Invariants
//
//	U1  Update does no I/O and calls nothing that waits.
//	U2  A shown session is opened once; leaving it closes it, and records its leaf.
//	U3  A canceled operation has changed nothing.
//	U4  The terminal is restored however the app ends: by a key, a signal at any
//	    moment, a panic, or after another program that used it.
package tui
