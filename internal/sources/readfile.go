package sources

import (
	"fmt"
	"os"
)

// mostSmall is the size of the largest file that ReadFile reads.
const mostSmall = 16 << 20

// ReadFile reads a small file that a program stores next to its sessions. It
// returns an error for a large file and for a pipe, which would block.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSmall {
		return nil, fmt.Errorf("%s: too large, or not a regular file", path)
	}
	return os.ReadFile(path)
}
