package filestore

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Writer returns the PID of a process of another program that has a file open
// for writing, or 0. known is false if the system does not report it.
func Writer(ctx context.Context, name string) (pid int, known bool) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return 0, false
	}
	there, err := os.Stat(name)
	if err != nil {
		return 0, false
	}
	self, _ := os.Readlink("/proc/self/exe")
	processes, err := os.ReadDir("/proc")
	if err != nil || self == "" {
		return askLsof(ctx, name)
	}
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", p.Name())
		if exe, err := os.Readlink(filepath.Join(dir, "exe")); err == nil && exe == self {
			continue
		}
		if writes(dir, there) {
			return pid, true
		}
	}
	return 0, true
}

// writes reports whether a process has a file open for writing. It cannot
// inspect processes of other users.
func writes(process string, file os.FileInfo) bool {
	open, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range open {
		link := filepath.Join(process, "fd", fd.Name())
		if target, err := os.Readlink(link); err != nil || filepath.Base(target) != file.Name() {
			continue
		}
		if held, err := os.Stat(link); err != nil || !os.SameFile(held, file) {
			continue
		}
		if opensForWriting(filepath.Join(process, "fdinfo", fd.Name())) {
			return true
		}
	}
	return false
}

func opensForWriting(fdinfo string) bool {
	data, err := os.ReadFile(fdinfo)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		if octal, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(octal), 8, 64)
			return err == nil && flags&int64(os.O_WRONLY|os.O_RDWR) != 0
		}
	}
	return false
}
