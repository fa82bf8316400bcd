//go:build !unix

package seal

import "os"

// placeOf returns nothing: the system does not tell a file from a copy of it.
func placeOf(*os.File) ([]byte, error) { return nil, nil }

// exposed trusts the access lists of the system.
func exposed(dir, there string) error { return nil }
