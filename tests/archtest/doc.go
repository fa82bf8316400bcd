// Package archtest has tests of the layout of the repository and of its documents.
package archtest
