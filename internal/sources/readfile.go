package sources

import (
	"fmt"
	"os"
)

// mostSmall is the size of the largest file that ReadFile reads.
const mostSmall = 16 << 20

// ReadFile reads a small file that a program keeps beside its sessions. A pipe, which
// would block, and a large file are errors.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSmall {
		return nil, fmt.Errorf("%s: not a small file", path)
	}
	return os.ReadFile(path)
}
