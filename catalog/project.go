package catalog

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/pith-sessions/pith"
)

// A project is a working directory, under all its names.
type project struct {
	cwd string

	mu    sync.Mutex // guards known
	known map[string]bool
}

func newProject(cwd string, o *Options) *project {
	return &project{cwd: o.expand(cwd, ""), known: map[string]bool{}}
}

// has reports whether a session with this working directory in its header
// belongs to the project. It may be called by several goroutines.
func (p *project) has(cwd string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	same, ok := p.known[cwd]
	if !ok {
		// A relative name would be taken as one below this process's directory.
		same = filepath.IsAbs(cwd) && (pith.SameProject(p.cwd, cwd) || sameFolder(p.cwd, cwd))
		p.known[cwd] = same
	}
	return same
}

// sameFolder asks the file system whether two names are one folder. It knows
// best about symbolic links, letter case, Unicode normalisation and short names
// (pitfalls 173, 175, 178). Of folders that are gone only the names can be
// compared.
func sameFolder(a, b string) bool {
	if foldsCase && strings.EqualFold(filepath.Clean(a), filepath.Clean(b)) {
		return true
	}
	ia, erra := os.Stat(a)
	ib, errb := os.Stat(b)
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}

// foldsCase says whether paths that differ in letter case usually are one.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"
