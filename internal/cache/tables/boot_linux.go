package tables

import (
	"os"
	"strings"
	"sync"
)

// bootID names the time since the system was last started.
var bootID = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(id) > bootSize {
		return ""
	}
	return strings.TrimSpace(string(id))
})
