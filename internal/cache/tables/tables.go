// Package tables caches data about session files, one table for each, in a
// directory of its own. It does not interpret the data.
//
// The directory may be deleted at any time, and whatever is wrong with it, the
// session is read instead.
//
// # Invariants
//
//	T1  Load returns the bytes that were given to Save, and only if they are about
//	    the file that now has that name.
//	T2  A table is complete or absent: the label that names it is written last. Many
//	    processes may share one directory.
//	T3  The cost of loading does not depend on the size of the table.
//
// # How a wrong table is noticed
//
// A table has a label in a file next to it, under the seal of the directory
// (see package seal). The label contains the table's hash, and its inode and
// change time, which programs cannot set. While these are unchanged, the table
// was not written to, and it is used directly. Otherwise, and on systems
// without such a time, it is read and hashed. A table is on disk before its
// label is written.
//
// A session that was changed in its middle without changing its length is
// noticed by its time, unless it was also appended to, or was open when that
// happened. In that case its envelopes are the old ones, but its lines are read
// from the file itself.
package tables

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/cache/seal"
)

// A Dir stores tables in a directory. It is safe for concurrent use.
type Dir struct{ path string }

// New returns a Dir for a directory, which need not exist yet.
func New(path string) *Dir { return &Dir{path} }

const (
	suffix      = ".table"
	labelSuffix = ".label"
	temporary   = "new-" // prefix of files that are being written
)

// A place determines where the table of a session is stored.
type place struct {
	session string // its absolute path
	base    string // prefix of the names of its files
}

func (d *Dir) place(session string) place {
	if abs, err := filepath.Abs(session); err == nil {
		session = abs
	}
	sum := sha256.Sum256([]byte(session))
	return place{session, filepath.Join(d.path, hex.EncodeToString(sum[:16]))}
}

// table returns the path of the table with a number.
func (p place) table(number uint64) string { return fmt.Sprintf("%s-%016x%s", p.base, number, suffix) }

// A label describes a table and how to verify it. It has a fixed size.
type label struct {
	Number  uint64 // number of the table
	Session identity
	Covered int64 // bytes of the session
	Length  int64 // of the table
	Hash    [sha256.Size]byte
	Place   [seal.PlaceSize]byte // of the table; zero if the system provides none
}

// An identity distinguishes a file from other files and from earlier versions
// of itself.
type identity struct {
	Device, Inode  uint64 // 0 if the system has none
	Size, Modified int64  // bytes, nanoseconds
}

// write atomically replaces the label.
func (l *label) write(p place, key *seal.Key) error {
	data, err := binary.Append(nil, binary.LittleEndian, l)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(p.base), temporary+"*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(key.Sealed("table", p.session, data))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), p.base+labelSuffix)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is returned
	}
	return err
}

// labelAt returns the label of a table and the key that seals it, or nil if
// there is no valid label.
func labelAt(p place) (*label, *seal.Key) {
	data, err := os.ReadFile(p.base + labelSuffix)
	if err != nil {
		return nil, nil
	}
	key, err := seal.Open(filepath.Dir(p.base))
	if err != nil {
		return nil, nil
	}
	l := &label{}
	data, ok := key.Unsealed("table", p.session, data)
	if n, err := binary.Decode(data, binary.LittleEndian, l); !ok || err != nil || n != len(data) {
		return nil, nil
	}
	return l, key
}

// Save stores the data that fill writes for a session, which covers the first
// covered bytes of its file.
func (d *Dir) Save(session string, covered int64, fill func(io.Writer) error) error {
	if err := d.save(session, covered, fill); err != nil {
		return fmt.Errorf("save table: %w", err)
	}
	return nil
}

func (d *Dir) save(session string, covered int64, fill func(io.Writer) error) error {
	p := d.place(session)
	info, err := os.Stat(session)
	if err != nil {
		return err
	}
	l := &label{Number: rand.Uint64(), Session: identityOf(info), Covered: covered}
	key, err := seal.Open(d.path)
	if err != nil {
		return err
	}
	before, _ := labelAt(p)
	if err = l.fill(p, fill); err == nil {
		err = l.write(p, key)
	}
	if err != nil {
		_ = os.Remove(p.table(l.Number)) // the first error is returned
		return err
	}
	if before != nil {
		_ = os.Remove(p.table(before.Number)) // otherwise Sweep removes it
	}
	return nil
}

// fill writes the table of a label, and records how to verify it.
func (l *label) fill(p place, fill func(io.Writer) error) error {
	f, err := os.OpenFile(p.table(l.Number), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, hash), 1<<16)
	if err := fill(w); err != nil {
		return err
	}
	if err := cmp.Or(w.Flush(), f.Sync()); err != nil {
		return err
	}
	if l.Length, err = f.Seek(0, io.SeekCurrent); err != nil {
		return err
	}
	l.Hash = [sha256.Size]byte(hash.Sum(nil))
	l.Place, err = seal.Place(f)
	return err
}

// Load returns the data saved for a session, or nil if there is none that is
// valid. The data is valid as long as owner is reachable, and may be written
// to; changes do not reach the directory.
func (d *Dir) Load(session string) (data []byte, owner any) {
	p := d.place(session)
	var l *label
	var key *seal.Key
	var f *os.File
	for range 8 {
		if l, key = labelAt(p); l == nil || !l.fits(session) {
			return nil, nil
		}
		var err error
		if f, err = os.Open(p.table(l.Number)); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) { // as when another process saves another table
			return nil, nil
		}
	}
	if f == nil {
		return nil, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() != l.Length || l.Length == 0 {
		return nil, nil
	}
	place, err := seal.Place(f)
	if err != nil {
		return nil, nil
	}
	data, owner, err = load(f, int(info.Size()))
	if err != nil {
		return nil, nil
	}
	if place == l.Place && place != [seal.PlaceSize]byte{} {
		return data, owner
	}
	if sha256.Sum256(data) != l.Hash {
		return nil, nil
	}
	l.Place = place
	_ = l.write(p, key) // otherwise the table is hashed again
	return data, owner
}

// fits reports whether the session file is the one that the table is about,
// unchanged or longer.
func (l *label) fits(session string) bool {
	info, err := os.Stat(session)
	if err != nil {
		return false
	}
	now := identityOf(info)
	if now.Device != l.Session.Device || now.Inode != l.Session.Inode || info.Size() < l.Covered {
		return false
	}
	if info.Size() > l.Covered {
		return true // appended to; the reader compares the end of the covered part
	}
	return l.Session.Size == l.Covered && now.Modified == l.Session.Modified
}

// Sweep removes tables that were last saved before a time, and files that were
// never completed.
func (d *Dir) Sweep(before time.Time) error {
	files, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		ours := strings.HasSuffix(f.Name(), suffix) || strings.HasSuffix(f.Name(), labelSuffix) || strings.HasPrefix(f.Name(), temporary)
		if info, err := f.Info(); ours && err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(d.path, f.Name())) // another process may have been faster
		}
	}
	return nil
}
