// Package tables keeps what was learnt of session files, one file for each, in a
// folder of its own.
//
// What it keeps is a cache: it may be deleted at any time, and whatever is wrong
// with it, the session is read instead. It knows nothing of what it keeps.
//
// # Invariants
//
//	T1  What LoadTable returns is what SaveTable was given, byte for byte, about the file that
//	    now has that name.
//	T2  A file of the folder is complete or not there: it is written under another
//	    name and renamed. Many processes may use one folder.
//	T3  Loading costs the same however much was saved, but for the first time after
//	    the system was started.
//
// # How damage is noticed
//
// The checksum of everything would cost a walk over everything. It is taken when
// the file could have been damaged: when it was written before the system was last
// started, because what was not on the disk by then is lost, and when its time is
// not the one that it was given, because then somebody else has written to it. Who
// writes to the file and sets its time back is not noticed, and neither is memory
// that fails. Where the system does not say when it was started, the checksum is
// always taken.
//
// A session that was changed in its middle without changing its length is noticed
// by its time, unless it was appended to as well, or was open when that happened.
// Then its envelopes are those of before; its lines are read from the file itself.
package tables

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Dir keeps tables in a folder. Its methods may be called from several
// goroutines.
type Dir struct{ path string }

// New keeps tables in a folder, which need not exist yet.
func New(path string) *Dir { return &Dir{path} }

const suffix = ".table"

// name is the file for the table of a session.
func (d *Dir) name(session string) string {
	if abs, err := filepath.Abs(session); err == nil {
		session = abs
	}
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(d.path, hex.EncodeToString(sum[:16])+suffix)
}

// castagnoli is made when it is needed: most commands load no table.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// SaveTable keeps what fill writes for a session, of whose file it covers so many bytes.
func (d *Dir) SaveTable(session string, covered int64, fill func(io.Writer) error) (err error) {
	l := label{covered: covered, boot: bootID(), stamp: time.Now().Unix()}
	if l.session, err = identityOf(session); err != nil {
		return fmt.Errorf("save table: %w", err)
	}
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return fmt.Errorf("save table: %w", err)
	}
	f, err := os.CreateTemp(d.path, temporary+"*") // 0600
	if err != nil {
		return fmt.Errorf("save table: %w", err)
	}
	if err = l.write(f, fill); err == nil {
		err = os.Rename(f.Name(), d.name(session))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that counts is the first
		return fmt.Errorf("save table: %w", err)
	}
	return nil
}

// temporary is how names of files begin that are being written.
const temporary = "new-"

// write writes a whole file and closes it.
func (l *label) write(f *os.File, fill func(io.Writer) error) error {
	defer f.Close()
	if _, err := f.Write(make([]byte, labelSize)); err != nil {
		return err
	}
	sum := &summing{w: f, sum: crc32.New(castagnoli())}
	buffered := bufio.NewWriterSize(sum, 1<<16)
	if err := fill(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	l.length, l.checksum = sum.length, sum.sum.Sum32()
	return l.stick(f)
}

// stick writes the label at the beginning of a file and gives the file its time.
func (l *label) stick(f *os.File) error {
	if _, err := f.WriteAt(l.encode(), 0); err != nil {
		return err
	}
	at := time.Unix(l.stamp, 0)
	return os.Chtimes(f.Name(), at, at)
}

// summing counts what passes and sums it up.
type summing struct {
	w      io.Writer
	sum    hash.Hash32
	length int64
}

func (s *summing) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.sum.Write(p[:n]) // never fails
	s.length += int64(n)
	return n, err
}

// LoadTable is what was saved for a session; nil when there is nothing, or what there
// is cannot be trusted. It stays valid as long as the owner can be reached, and can
// be written to: changes do not reach the folder.
func (d *Dir) LoadTable(session string) (data []byte, owner any) {
	f, err := os.Open(d.name(session))
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil
	}
	l, err := readLabel(f)
	if err != nil || info.Size() != labelSize+l.length || !l.fits(session) {
		return nil, nil
	}
	whole, owner, err := load(f, int(info.Size()))
	if err != nil {
		return nil, nil
	}
	data = whole[labelSize:]
	boot := bootID()
	if l.boot != "" && l.boot == boot && info.ModTime().Equal(time.Unix(l.stamp, 0)) {
		return data, owner
	}
	if crc32.Checksum(data, castagnoli()) != l.checksum {
		return nil, nil
	}
	if boot != "" {
		l.boot, l.stamp = boot, time.Now().Unix()
		d.relabel(session, &l)
	}
	return data, owner
}

// relabel remembers that a file was found to be right. It is only about the time
// of the next LoadTable, so errors do not matter.
func (d *Dir) relabel(session string, l *label) {
	f, err := os.OpenFile(d.name(session), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if now, err := readLabel(f); err == nil && now.length == l.length && now.checksum == l.checksum {
		_ = l.stick(f)
	}
}

// Sweep removes what was not used for a while: tables that nobody has saved or
// found to be right since, and files that were never finished.
func (d *Dir) Sweep(before time.Time) error {
	files, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), suffix) && !strings.HasPrefix(f.Name(), temporary) {
			continue
		}
		if info, err := f.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(d.path, f.Name())) // somebody else may have been faster
		}
	}
	return nil
}
