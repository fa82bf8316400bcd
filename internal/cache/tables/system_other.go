//go:build !unix

package tables

import (
	"io"
	"io/fs"
	"os"
)

// load reads a whole file. Large allocations are aligned to multiples of 8.
func load(f *os.File, size int) (data []byte, owner any, err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, nil, err
}

func identityOf(info fs.FileInfo) identity {
	return identity{Size: info.Size(), Modified: info.ModTime().UnixNano()}
}
