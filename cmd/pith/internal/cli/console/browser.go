package console

import (
	"os/exec"
	"runtime"
)

// OpenBrowser passes an address, or a file, to the system. It does not wait:
// the caller may end before the browser does.
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
	go func() { _ = cmd.Wait() }() // its result says nothing about the browser
	return true
}
