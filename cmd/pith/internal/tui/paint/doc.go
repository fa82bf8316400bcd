// Package paint draws the lines of the terminal app: tones instead of colours,
// spans instead of escape sequences.
//
// A line is made of [Span]s, each a piece of text in a tone. Text becomes
// harmless here, whatever it held before: no screen can forget to clean what
// came from a session. What a tone looks like depends on the [Theme], which is
// light, dark or without colours.
//
// # Invariants
//
//	L1  A line that is drawn holds no control character of its text.
//	L2  A line never takes more cells than it was given.
//	L3  Drawing costs what is shown, however long the text is.
package paint
