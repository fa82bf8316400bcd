// Package dialog implements the small dialogs of the terminal app: a line of
// text, one of several choices or messages, a sheet of facts.
//
// They store and draw the input but do not interpret it: the caller reads the
// value and acts on it.
package dialog
