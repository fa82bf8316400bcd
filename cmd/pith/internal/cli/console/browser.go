package console

import (
	"os/exec"
	"runtime"
)

// OpenBrowser hands an address, or a file, to the system. It does not wait: who
// opened something may end before the browser does.
func OpenBrowser(address string) bool {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(name, args...)
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = cmd.Wait() }() // how it ends says nothing about the browser
	return true
}
