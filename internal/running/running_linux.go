package running

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// In returns the PID of a process of a program that works in one of the directories
// or below, or 0 if none is found. names are the program's commands. A script counts
// under its own name: node /usr/bin/gemini is gemini.
func In(dirs, names []string) int {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		proc := filepath.Join("/proc", p.Name())
		if !isNamed(proc, names) {
			continue
		}
		cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
		if err != nil {
			continue
		}
		cwd = strings.TrimSuffix(cwd, " (deleted)")
		if slices.ContainsFunc(dirs, func(dir string) bool {
			rel, err := filepath.Rel(dir, cwd)
			return err == nil && filepath.IsLocal(rel)
		}) {
			return pid
		}
	}
	return 0
}

// isNamed reports whether a process has one of the names, or runs a script that has.
func isNamed(proc string, names []string) bool {
	if name, err := os.ReadFile(filepath.Join(proc, "comm")); err == nil && slices.Contains(names, strings.TrimSpace(string(name))) {
		return true
	}
	line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return false
	}
	args := strings.SplitN(string(line), "\x00", 3)
	if len(args) < 2 {
		return false
	}
	script := strings.TrimSuffix(filepath.Base(args[1]), ".js")
	return filepath.IsAbs(args[1]) && slices.Contains(names, script)
}
