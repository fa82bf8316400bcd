package tables

import (
	"sync"

	"golang.org/x/sys/unix"
)

// bootID names the time since the system was last started.
var bootID = sync.OnceValue(func() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil || len(id) > bootSize {
		return ""
	}
	return id
})
