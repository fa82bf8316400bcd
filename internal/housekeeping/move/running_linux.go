package move

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// agents are the process names of pi-compatible agents.
var agents = []string{"pi", "pi-rpc", "omp", "atomic"}

// running returns the pid of a pi-compatible agent that works in one of the
// directories or below, or 0 if none is found. Such an agent opens its session
// for each line that it writes, so nothing else shows that it has one.
func running(dirs ...string) int {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		name, err := os.ReadFile(filepath.Join("/proc", p.Name(), "comm"))
		if err != nil || !slices.Contains(agents, strings.TrimSpace(string(name))) {
			continue
		}
		cwd, err := os.Readlink(filepath.Join("/proc", p.Name(), "cwd"))
		if err != nil {
			continue
		}
		cwd = strings.TrimSuffix(cwd, " (deleted)")
		if slices.ContainsFunc(dirs, func(dir string) bool { _, in := under(cwd, dir); return in }) {
			return pid
		}
	}
	return 0
}
