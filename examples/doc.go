// Package examples has the test that runs the example programs.
package examples
