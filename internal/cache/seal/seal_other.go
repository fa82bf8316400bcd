//go:build !unix

package seal

import "os"

// Place returns zero: the system does not tell a file from a copy of it.
func Place(*os.File) (place [PlaceSize]byte, err error) { return place, nil }

// exposed trusts the access lists of the system.
func exposed(dir, there string) error { return nil }
