// Package dialog holds the small parts of the terminal app that ask for something
// or tell it: a line of text, one of several choices or messages, a sheet of
// facts.
//
// They hold what was typed and draw it. They decide nothing: whoever shows one
// reads its value and says what it means.
package dialog
