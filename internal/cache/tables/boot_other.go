//go:build !linux && !darwin

package tables

// bootID is empty: the system does not say when it was started.
var bootID = func() string { return "" }
