//go:build !unix

package seal

import "os"

// Place returns zero: this system does not distinguish a file from a copy of
// it.
func Place(*os.File) (place [PlaceSize]byte, err error) { return place, nil }

// exposed returns nil: the access lists of the system are trusted.
func exposed(dir, there string) error { return nil }
