package index

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"github.com/pith-sessions/pith/internal/cache"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/cache/pack"
)

// A ListName names a file of parts that is saved next to the database. It is
// also the suffix of the file.
type ListName string

// The files of parts.
const (
	AllRows    ListName = ".list"   // every row
	RecentRows ListName = ".recent" // the rows that are shown first
)

// A file of parts is the parts, a table with the label, the size and the hash of
// each, and a trailer: the version, the size of the table and its hash.
const trailerSize = 8 + 8 + sha256.Size

// Parts is a file that Save wrote. A part is read and checked when it is needed.
// Rows in it may have changed in the database since. It is safe for concurrent
// use.
type Parts struct {
	in     *os.File
	parts  []part
	labels map[string]int
}

type part struct {
	at   int64
	size int
	sum  string
}

// Parts opens a file of parts next to the database: see [OpenParts].
func (f *Files) Parts(name ListName) *Parts {
	return OpenParts(f.db.path+string(name), f.db.shape.version)
}

// OpenParts opens a file of parts in a cache directory. It returns nil if there is
// none that this program wrote with this version.
func OpenParts(path string, version int) *Parts {
	in, err := os.Open(path)
	if err != nil {
		return nil
	}
	p := &Parts{in: in, labels: map[string]int{}}
	if !p.readTable(version) {
		in.Close()
		return nil
	}
	return p
}

func (p *Parts) readTable(version int) bool {
	stat, err := p.in.Stat()
	if err != nil || stat.Size() < trailerSize {
		return false
	}
	end := stat.Size() - trailerSize
	trailer := make([]byte, trailerSize)
	if _, err := p.in.ReadAt(trailer, end); err != nil {
		return false
	}
	if binary.LittleEndian.Uint64(trailer) != uint64(version) {
		return false
	}
	size := binary.LittleEndian.Uint64(trailer[8:])
	if size > uint64(end) {
		return false
	}
	table := make([]byte, size)
	if _, err := p.in.ReadAt(table, end-int64(size)); err != nil || sha256.Sum256(table) != [sha256.Size]byte(trailer[16:]) {
		return false
	}
	at := int64(0)
	d := pack.NewReader(string(table))
	for d.Len() > 0 {
		label := d.String()
		one := part{at, int(d.Uint()), d.Take(sha256.Size)}
		if label != "" {
			p.labels[label] = len(p.parts)
		}
		p.parts = append(p.parts, one)
		at += int64(one.size)
	}
	return d.Done() == nil && at == end-int64(size)
}

// Labels returns the numbers of the parts that have a label. The caller must not
// modify the map.
func (p *Parts) Labels() map[string]int { return p.labels }

// Read returns a part, or "" if it is damaged; ok is then false.
func (p *Parts) Read(number int) (text string, ok bool) {
	if number < 0 || number >= len(p.parts) {
		return "", false
	}
	one := p.parts[number]
	buf := readBuffers.Get().(*[]byte)
	defer readBuffers.Put(buf)
	*buf = slices.Grow((*buf)[:0], one.size)[:one.size]
	if _, err := p.in.ReadAt(*buf, one.at); err != nil {
		return "", false
	}
	if sum := sha256.Sum256(*buf); string(sum[:]) != one.sum {
		return "", false
	}
	return string(*buf), true
}

var readBuffers = sync.Pool{New: func() any { return new([]byte) }}

// Close closes the file. Parts that were read remain valid.
func (p *Parts) Close() error { return p.in.Close() }

// A PartWriter writes the parts of a file.
type PartWriter struct {
	w     *bufio.Writer
	table []byte
	n     int
}

// Len returns the number of parts so far, which is the number of the next one.
func (w *PartWriter) Len() int { return w.n }

// Add adds a part. A label that is not empty must be unique.
func (w *PartWriter) Add(label string, b []byte) {
	w.n++
	sum := sha256.Sum256(b)
	w.table = append(binary.AppendUvarint(pack.AppendString(w.table, label), uint64(len(b))), sum[:]...)
	_, _ = w.w.Write(b) // Flush returns the first error
}

// Save replaces a file of parts next to the database by the parts that fill adds.
func (f *Files) Save(name ListName, fill func(*PartWriter)) error {
	return SaveParts(f.db.path+string(name), f.db.shape.version, fill)
}

// SaveParts replaces a file of parts in a cache directory, for [OpenParts].
func SaveParts(path string, version int, fill func(*PartWriter)) error {
	if err := cache.MakePrivate(filepath.Dir(path)); err != nil {
		return err
	}
	removeLeftovers(path)
	out, err := os.CreateTemp(filepath.Dir(path), "new-*"+filepath.Ext(path)) // 0600
	if err != nil {
		return err
	}
	w := &PartWriter{w: bufio.NewWriterSize(out, 1<<16)}
	fill(w)
	sum := sha256.Sum256(w.table)
	trailer := binary.LittleEndian.AppendUint64(nil, uint64(version))
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(len(w.table)))
	trailer = append(trailer, sum[:]...)
	_, _ = w.w.Write(w.table) // likewise
	_, _ = w.w.Write(trailer)
	if err = cmp.Or(w.w.Flush(), out.Close()); err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		_ = os.Remove(out.Name()) // the first error counts
	}
	return err
}

// abandoned is the age from which a file that is being written was left by a
// process that was killed.
const abandoned = time.Hour

// removeLeftovers removes what killed processes left next to a file of parts.
func removeLeftovers(path string) {
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "new-*"+filepath.Ext(path))) // a pattern in the name of the directory finds none
	for _, file := range left {
		if stat, err := os.Stat(file); err == nil && time.Since(stat.ModTime()) > abandoned {
			_ = os.Remove(file) // it only takes space
		}
	}
}

// HasParts reports whether a file of parts was saved.
func (f *Files) HasParts(name ListName) bool {
	_, err := os.Stat(f.db.path + string(name))
	return err == nil
}

// DropParts removes the files of parts.
func (f *Files) DropParts() {
	for _, name := range [...]ListName{AllRows, RecentRows} {
		_ = os.Remove(f.db.path + string(name)) // an old one only costs time
	}
}
