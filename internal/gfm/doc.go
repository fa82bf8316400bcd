// Package gfm adds GitHub's extensions of Markdown to goldmark: tables,
// strikethrough, task lists and links without brackets.
//
// It parses and renders as goldmark/extension does. That package compiles its
// patterns when a program starts, which costs every command 0.3 ms; this package
// has no patterns.
//
// # Invariants
//
//	G1  For a text with few empty table cells, the HTML is that of goldmark/extension.
//	G2  Time and memory are linear in the length of the text.
package gfm
