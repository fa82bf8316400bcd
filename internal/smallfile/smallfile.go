// Package smallfile reads small files that people and other programs write,
// such as settings.
package smallfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read reads a regular file of at most that many bytes; opening anything else
// could block forever. Its errors do not repeat the path.
func Read(path string, most int64) ([]byte, error) {
	data, err := read(path, most)
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return data, err
}

func read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("larger than %d bytes", most)
	}
	return data, err
}
