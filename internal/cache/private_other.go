//go:build !unix

package cache

// exposed returns nil: the access lists of the system are trusted.
func exposed(dir, there string) error { return nil }
