package filestore

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// lockHolder describes the process that holds the lock of a file, if the system
// reports it.
func lockHolder(f *os.File) string {
	const unknown = "another process"
	here, err := factsOf(f)
	if err != nil {
		return unknown
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return unknown
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(here.id.device), unix.Minor(here.id.device), here.id.inode)
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK  ADVISORY  WRITE 4711 fd:00:131 0 EOF
		fields := strings.Fields(line)
		if len(fields) >= 6 && fields[1] == "FLOCK" && fields[5] == file {
			return "process " + fields[4]
		}
	}
	return unknown
}
