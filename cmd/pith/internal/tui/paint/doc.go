// Package paint draws the lines of the terminal app, with tones instead of
// colors and spans instead of escape sequences.
//
// A line consists of [Span]s, each a piece of text in a tone. Text is escaped
// here, whatever it contains, so that no screen can forget to escape text of a
// session. The look of a tone depends on the [Theme], which is light, dark or
// without colors.
//
// # Invariants
//
//	L1  A drawn line contains no control character of its text.
//	L2  A line never takes more cells than it was given.
//	L3  The cost of drawing depends on the shown part, however long the text is.
package paint
