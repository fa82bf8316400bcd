package index

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/internal/cache/seal"
)

// A ListName names a list that is saved next to the database. It is also the
// suffix of its file.
type ListName string

// The lists.
const (
	AllRows    ListName = ".list"   // every row
	RecentRows ListName = ".recent" // the rows that are shown first
)

// A list is the rows, then a trailer: the version, the number of rows and a sealed
// hash of the rows.
const trailerSize = 8 + 8 + sha256.Size + seal.Size

// List calls take with the path and the facts of every file in the list that
// KeepList saved, if there is one, and with their number. Reading the list takes
// less time than [Files.Load]. Rows may have changed in the database since.
func (f *Files) List(name ListName, take func(count int, path, facts string)) bool {
	in, err := os.Open(f.db.path + string(name))
	if err != nil {
		return false
	}
	defer in.Close()
	stat, err := in.Stat()
	if err != nil || stat.Size() < trailerSize {
		return false
	}
	size := stat.Size() - trailerSize
	var text strings.Builder
	text.Grow(int(size))
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(&text, sum), in, size); err != nil {
		return false
	}
	trailer := make([]byte, trailerSize)
	if _, err := io.ReadFull(in, trailer); err != nil {
		return false
	}
	version, count := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	sealed := append(trailer[:16:16], sum.Sum(nil)...)
	_, ok := f.db.key.Unsealed(f.db.kind("list"+string(name)), f.db.path, append(sealed, trailer[16+sha256.Size:]...))
	if !ok || version != uint64(f.db.shape.version) {
		return false
	}
	for d := pack.NewReader(text.String()); d.Len() > 0; {
		take(int(count), d.String(), d.String())
	}
	return true
}

// KeepList saves a list of count rows, for List.
func (f *Files) KeepList(name ListName, count int, rows iter.Seq2[string, []byte]) error {
	out, err := os.CreateTemp(filepath.Dir(f.db.path), "new-*"+string(name)) // 0600
	if err != nil {
		return err
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<16)
	var b []byte
	for path, facts := range rows {
		b = pack.AppendString(b[:0], path)
		b = append(binary.AppendUvarint(b, uint64(len(facts))), facts...)
		_, _ = w.Write(b) // Flush returns the first error
	}
	err = w.Flush()
	trailer := binary.LittleEndian.AppendUint64(nil, uint64(f.db.shape.version))
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(count))
	if err == nil {
		_, err = out.Write(f.db.key.Sealed(f.db.kind("list"+string(name)), f.db.path, sum.Sum(trailer)))
	}
	if err = cmp.Or(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), f.db.path+string(name))
	}
	if err != nil {
		_ = os.Remove(out.Name()) // the first error counts
	}
	return err
}

// HasList reports whether a list was saved.
func (f *Files) HasList(name ListName) bool {
	_, err := os.Stat(f.db.path + string(name))
	return err == nil
}

// DropLists removes the lists.
func (f *Files) DropLists() {
	for _, name := range [...]ListName{AllRows, RecentRows} {
		_ = os.Remove(f.db.path + string(name)) // an old list only costs time
	}
}
