//go:build !unix

package index

// exposed returns nil: the access lists of the system are trusted.
func exposed(dir, there string) error { return nil }
