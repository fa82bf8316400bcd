// Package ops holds the use cases of pith, one function each: typed parameters, a
// typed result and typed errors. A front end parses its input, calls the function
// and renders the result.
//
// Nothing here prints or asks. A function that must not act alone takes a function
// that is shown the plan and agrees, or returns why not.
package ops
