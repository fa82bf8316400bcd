package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// openDirLock opens the file that is locked for a directory. Windows cannot
// lock directories, so it is a file in the user's cache directory, named after
// the directory.
func openDirLock(dir string) (*os.File, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	locks := filepath.Join(cache, "pith", "locks")
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.ToLower(dir)))
	return os.OpenFile(filepath.Join(locks, hex.EncodeToString(sum[:8])), os.O_RDWR|os.O_CREATE, 0o600)
}
