// Package markdown lays markdown out in lines of spans for a terminal.
//
// It makes no colours and no escape sequences: what it returns is drawn by
// package paint, which makes text harmless. It follows no link and loads no
// picture. Line breaks of the text stay, because models mean them.
//
// # Invariants
//
//	M1  Every line fits the width.
//	M2  Nothing that is visible in the text is left out, except the marks of
//	    markdown itself.
//	M3  Cost is linear in the text; nesting is followed to a limited depth.
package markdown
