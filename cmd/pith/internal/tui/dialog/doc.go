// Package dialog holds the small parts of the terminal app that ask for something:
// a line of text, a longer text, one of several choices.
//
// They hold what was typed and draw it. They decide nothing: whoever shows one
// reads its value and says what it means.
package dialog
