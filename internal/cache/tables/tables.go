// Package tables caches what was learnt of session files, one table for each, in a
// folder of its own. It knows nothing of what it keeps.
//
// The folder may be deleted at any time, and whatever is wrong with it, the session
// is read instead.
//
// # Invariants
//
//	T1  What Load returns is what Save was given, byte for byte, about the file that now
//	    has that name.
//	T2  A table is complete or not there: the label that names it comes last. Many
//	    processes may use one folder.
//	T3  Loading costs the same however much was saved.
//
// # How a false table is noticed
//
// A table has a label in a file beside it, under the seal of the folder (see package
// seal). The label has the table's hash, and its inode and change time, which no
// program can set. While these are the same nobody has written to the table, and it is
// used as it lies; otherwise, and where the system has no such time, it is read and
// hashed. A table is on the disk before it gets its label.
//
// A session that was changed in its middle without changing its length is noticed by
// its time, unless it was appended to as well, or was open when that happened. Then
// its envelopes are those of before; its lines are read from the file itself.
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

// A Dir keeps tables in a folder. Its methods may be called from several
// goroutines.
type Dir struct{ path string }

// New keeps tables in a folder, which need not exist yet.
func New(path string) *Dir { return &Dir{path} }

const (
	suffix      = ".table"
	labelSuffix = ".label"
	temporary   = "new-" // begins the names of files that are being written
)

// A place is where the table of a session is kept.
type place struct {
	session string // its absolute path
	base    string // how the names of its files begin
}

func (d *Dir) place(session string) place {
	if abs, err := filepath.Abs(session); err == nil {
		session = abs
	}
	sum := sha256.Sum256([]byte(session))
	return place{session, filepath.Join(d.path, hex.EncodeToString(sum[:16]))}
}

// table is the file of the table with a number.
func (p place) table(number uint64) string { return fmt.Sprintf("%s-%016x%s", p.base, number, suffix) }

// A label says what a table is about, and how to know that it is right. It has a
// fixed size.
type label struct {
	Number  uint64 // of the table
	Session identity
	Covered int64 // bytes of the session
	Length  int64 // of the table
	Hash    [sha256.Size]byte
	Place   [seal.PlaceSize]byte // of the table; zero where the system does not tell
}

// An identity tells files apart, and a file from itself before it was changed.
type identity struct {
	Device, Inode  uint64 // 0 where the system has none
	Size, Modified int64  // bytes, nanoseconds
}

// write puts a label in the place of the one before, at once.
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
		_ = os.Remove(f.Name()) // the error that counts is the first
	}
	return err
}

// labelAt returns the label of a table, and the key that it is sealed with; nil when
// there is none that can be trusted.
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

// Save keeps what fill writes for a session, of whose file it covers so many bytes.
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
		_ = os.Remove(p.table(l.Number)) // the error that counts is the first
		return err
	}
	if before != nil {
		_ = os.Remove(p.table(before.Number)) // or it is swept
	}
	return nil
}

// fill writes the table of a label, and notes how to know it again.
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

// Load returns what was saved for a session; nil when there is nothing, or what there
// is cannot be trusted. The data stays valid as long as the owner can be reached, and
// can be written to: changes do not reach the folder.
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
	_ = l.write(p, key) // without it the table is hashed again
	return data, owner
}

// fits reports whether the session's file is the one that the table is about, as
// it was or longer.
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
		return true // appended to; the reader compares the end of what is covered
	}
	return l.Session.Size == l.Covered && now.Modified == l.Session.Modified
}

// Sweep removes tables that were not saved since, and files that were never finished.
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
