package catalog

import (
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith/internal/cache"
)

// CountReads makes lists add the bytes that they read of session files to n.
func CountReads(o *Options, n *atomic.Int64) {
	OnRead(o, func(read int) { n.Add(int64(read)) })
}

// OnRead makes lists report how many bytes they have read of a session file,
// after each read. It is called concurrently.
func OnRead(o *Options, tell func(read int)) {
	o.open = func(path string) (sessionFile, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return &countedFile{f, tell}, nil
	}
}

type countedFile struct {
	f    *os.File
	tell func(int)
}

func (c *countedFile) Read(p []byte) (int, error) {
	n, err := c.f.Read(p)
	c.tell(n)
	return n, err
}

func (c *countedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.f.ReadAt(p, off)
	c.tell(n)
	return n, err
}

func (c *countedFile) Seek(off int64, whence int) (int64, error) { return c.f.Seek(off, whence) }
func (c *countedFile) Stat() (fs.FileInfo, error)                { return c.f.Stat() }
func (c *countedFile) Close() error                              { return c.f.Close() }

// TailSize is how many bytes of a file a fingerprint reads.
const TailSize = cache.TailSize

// LookAgain makes the next look see all files, as after a while.
func (l *LiveList) LookAgain() { l.looked = time.Time{} }
