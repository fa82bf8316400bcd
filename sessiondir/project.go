package sessiondir

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// SameProject reports whether two working directories are the same place. The
// file system is asked: it knows best about symbolic links, letter case,
// Unicode normalisation and short names. Of directories that are gone only the
// names can be compared. An unknown directory is nobody's.
func SameProject(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, b = filepath.Clean(a), filepath.Clean(b)
	if a == b || foldsCase && strings.EqualFold(a, b) {
		return true
	}
	if !filepath.IsAbs(a) || !filepath.IsAbs(b) {
		return false // the system would look for it below this process's own directory
	}
	ia, erra := os.Stat(a)
	ib, errb := os.Stat(b)
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}

// foldsCase says whether paths that differ in letter case usually are one.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"
