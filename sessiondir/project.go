package sessiondir

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// SameProject reports whether two working directories are the same. It asks the
// file system, which knows about symbolic links, letter case, Unicode
// normalization and short names. Only the names of missing directories can be
// compared. An unknown directory equals no other.
func SameProject(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, b = filepath.Clean(a), filepath.Clean(b)
	if a == b || foldsCase && strings.EqualFold(a, b) {
		return true
	}
	if !filepath.IsAbs(a) || !filepath.IsAbs(b) {
		return false // it would be relative to this process's own directory
	}
	ia, erra := os.Stat(a)
	ib, errb := os.Stat(b)
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}

// foldsCase reports whether paths that differ only in letter case usually are
// the same.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"
