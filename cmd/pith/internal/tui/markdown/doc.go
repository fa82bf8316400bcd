// Package markdown renders Markdown as lines of spans for a terminal.
//
// It produces no colors and no escape sequences: package paint draws its output
// and escapes text. It follows no link and loads no image. Line breaks of the
// text are kept, because models mean them.
//
// # Invariants
//
//	M1  Every line fits the width.
//	M2  All visible text is kept, except the marks of Markdown itself.
//	M3  Cost is linear in the text; nesting is followed to a limited depth.
package markdown
