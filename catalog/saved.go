package catalog

import (
	"encoding/binary"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/internal/cache/index"
	"github.com/pith-sessions/pith/internal/cache/pack"
)

// This file has the form in which all rows are saved next to the database, so
// that a list of many unchanged sessions needs little more than the names and
// times of their files. A directory is one part: a record of fixed size for
// each file, in the order in which the directory was read, then their names.
// The rows themselves are in pages, which are read when a session is shown.

// savedRows are the rows in the saved list.
type savedRows struct {
	parts *index.Parts

	mu      sync.Mutex // guards the fields below
	dirs    map[string]*savedDir
	pages   map[int]string
	damaged bool
}

// openSaved returns the saved list, or nil if there is none.
func openSaved(files *index.Files) *savedRows {
	parts := files.Parts(index.AllRows)
	if parts == nil {
		return nil
	}
	return &savedRows{parts: parts, dirs: map[string]*savedDir{}, pages: map[int]string{}}
}

func (s *savedRows) close() {
	if s != nil {
		_ = s.parts.Close() // it was only read
	}
}

// A savedDir has the saved rows of the files in one directory.
type savedDir struct {
	list *savedRows
	base string // path of the directory with a separator at the end
	text string
	once sync.Once // makes names
	// names are the numbers of the rows by the names of the files.
	names map[string]int32
}

// dir returns the rows of a directory, whose path ends in a separator, or nil.
func (s *savedRows) dir(base string) *savedDir {
	if s == nil {
		return nil
	}
	number, ok := s.parts.Labels()[base]
	if !ok {
		return nil
	}
	s.mu.Lock()
	d := s.dirs[base]
	s.mu.Unlock()
	if d != nil {
		return d
	}
	text, ok := s.parts.Read(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok {
		s.damaged = true
		return nil
	}
	if d = s.dirs[base]; d == nil {
		d = &savedDir{list: s, base: base, text: text}
		s.dirs[base] = d
	}
	return d
}

// labels returns the paths of the directories, with a separator at the end.
func (s *savedRows) labels() map[string]int {
	if s == nil {
		return nil
	}
	return s.parts.Labels()
}

// all returns the rows of all directories, in order.
func (s *savedRows) all() (dirs []*savedDir) {
	for _, base := range slices.Sorted(maps.Keys(s.labels())) {
		if d := s.dir(base); d != nil {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// page returns a page of rows, or "" if it is damaged.
func (s *savedRows) page(number int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.pages[number]
	if !ok {
		if text, ok = s.parts.Read(number); !ok {
			s.damaged = true
		}
		s.pages[number] = text
	}
	return text
}

// find returns the directory and the number of the row of a path, or nil.
func (s *savedRows) find(path string) (*savedDir, int) {
	base, name := filepath.Split(path)
	if d := s.dir(base); d != nil {
		if i, ok := d.number(name); ok {
			return d, i
		}
	}
	return nil, 0
}

// isDamaged reports whether a part could not be read.
func (s *savedRows) isDamaged() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damaged
}

// A record has, in little-endian order, the device and the number of the inode,
// the size and the time of the file, and the time of use, 8 bytes each; the
// offset of the name (4) and its length (2), the kind (1), flags (1), the offset
// of the id in the name and its length (2 each), the offset of the working
// directory (4), and the page of the row (4) and its offset there (4).
const (
	recordSize = 64
	recordsAt  = 4 // after their number

	savedInternal = 1 // flags: the session is internal,
	savedStamped  = 2 // the id in the name is that of the header,
	savedChild    = 4 // and the session has a parent
)

func fixed64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func fixed32(s string) int {
	_ = s[3]
	return int(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

func fixed16(s string) int { return int(s[0]) | int(s[1])<<8 }

func (d *savedDir) len() int { return fixed32(d.text) }

func (d *savedDir) record(i int) string { return d.text[recordsAt+i*recordSize:][:recordSize] }

func (d *savedDir) name(i int) string {
	r := d.record(i)
	return d.text[fixed32(r[40:]):][:fixed16(r[44:])]
}

func (d *savedDir) inode(i int) index.Inode {
	r := d.record(i)
	return index.Inode{Device: fixed64(r), Number: fixed64(r[8:])}
}

func (d *savedDir) has(i int, flag byte) bool { return d.record(i)[47]&flag != 0 }

// id returns the id of a session if it is in the name of its file, or "".
func (d *savedDir) id(i int) string {
	r := d.record(i)
	return d.name(i)[fixed16(r[48:]):][:fixed16(r[50:])]
}

// isOf is like [row.isOf].
func (d *savedDir) isOf(i int, f *file) bool {
	r := d.record(i)
	return int64(fixed64(r[24:])) == f.modified.UnixNano() && int64(fixed64(r[16:])) == f.size && d.inode(i) == f.inode
}

// brief returns a row without branches and facts.
func (d *savedDir) brief(i int) row {
	r := d.record(i)
	cwd := pack.NewReader(d.text[fixed32(r[52:]):])
	return row{
		inode: d.inode(i), size: int64(fixed64(r[16:])), mtime: int64(fixed64(r[24:])), used: int64(fixed64(r[32:])),
		kind: rowKind(r[46]), internal: d.has(i, savedInternal), cwd: cwd.String(),
	}
}

// row returns a row, or nil if it is damaged.
func (d *savedDir) row(i int) *row {
	r := d.record(i)
	page := d.list.page(fixed32(r[56:]))
	if page == "" {
		return nil
	}
	var out row
	in := pack.NewReader(page[fixed32(r[60:]):])
	if decodeRow(in.String(), &out) != nil {
		return nil
	}
	return &out
}

// number returns the number of the row of a file.
func (d *savedDir) number(name string) (int, bool) {
	d.once.Do(d.makeNames)
	i, ok := d.names[name]
	return int(i), ok
}

func (d *savedDir) makeNames() {
	d.names = make(map[string]int32, d.len())
	for i := range d.len() {
		d.names[d.name(i)] = int32(i)
	}
}

// A savedCursor finds the rows of a directory that is read. Names usually come
// in the same order as before, so it compares each with the next one.
type savedCursor struct {
	dir  *savedDir // may be nil
	next int
}

// find returns the number of the row of an entry, or -1, and its name.
func (c *savedCursor) find(e dirEntry) (int, string) {
	if c.dir == nil {
		return -1, string(e.name)
	}
	if c.next < c.dir.len() {
		if name := c.dir.name(c.next); name == string(e.name) {
			c.next++
			return c.next - 1, name
		}
	}
	name := string(e.name)
	i, ok := c.dir.number(name)
	if !ok {
		return -1, name
	}
	c.next = i + 1
	return i, c.dir.name(i)
}

// A rowRef refers to a row of an index: one in memory, or a saved one.
type rowRef struct {
	base, name string // the path
	row        *row   // nil for a saved one
	dir        *savedDir
	number     int
}

func (r *rowRef) path() string { return r.base + r.name }

// brief returns the row, without branches and facts if it is saved.
func (r *rowRef) brief() row {
	if r.row != nil {
		return *r.row
	}
	return r.dir.brief(r.number)
}

// whole returns the row, or nil if it is damaged.
func (r *rowRef) whole() *row {
	if r.row != nil {
		return r.row
	}
	return r.dir.row(r.number)
}

func (r *rowRef) inode() index.Inode {
	if r.row != nil {
		return r.row.inode
	}
	return r.dir.inode(r.number)
}

func (r *rowRef) id() string {
	if r.row == nil {
		if id := r.dir.id(r.number); id != "" {
			return id
		}
	}
	if row := r.whole(); row != nil {
		return row.id()
	}
	return ""
}

// parent returns the session that a session was made from, as in its header.
func (r *rowRef) parent() string {
	if r.row == nil && !r.dir.has(r.number, savedChild) {
		return ""
	}
	if row := r.whole(); row != nil {
		return row.parent()
	}
	return ""
}

// pageSize is the size from which a page of rows is complete.
const pageSize = 32 << 10

// saveRows writes rows, which are in the same directory and in the order in which
// they are expected to be read.
func saveRows(w *index.PartWriter, base string, rows []rowRef) {
	var text, page, encoded []byte
	records := make([]byte, 0, recordSize*len(rows))
	words := map[string]uint32{} // offsets of working directories
	textAt := uint32(recordsAt + recordSize*len(rows))
	count := uint32(0)
	for i := range rows {
		r := rows[i].whole()
		if r == nil {
			continue
		}
		count++
		cwd, ok := words[r.cwd]
		if !ok {
			cwd = textAt + uint32(len(text))
			words[r.cwd] = cwd
			text = pack.AppendString(text, r.cwd)
		}
		name, id, flags := rows[i].name, r.id(), byte(0)
		idAt := strings.Index(name, id)
		if idAt < 0 {
			idAt, id = 0, ""
		}
		if r.internal {
			flags |= savedInternal
		}
		if id != "" && stampedID(name) == id {
			flags |= savedStamped
		}
		if r.parent() != "" {
			flags |= savedChild
		}
		for _, n := range [...]uint64{r.inode.Device, r.inode.Number, uint64(r.size), uint64(r.mtime), uint64(r.used)} {
			records = binary.LittleEndian.AppendUint64(records, n)
		}
		records = binary.LittleEndian.AppendUint32(records, textAt+uint32(len(text)))
		records = binary.LittleEndian.AppendUint16(records, uint16(len(name)))
		records = append(records, byte(r.kind), flags)
		records = binary.LittleEndian.AppendUint16(records, uint16(idAt))
		records = binary.LittleEndian.AppendUint16(records, uint16(len(id)))
		records = binary.LittleEndian.AppendUint32(records, cwd)
		records = binary.LittleEndian.AppendUint32(records, uint32(w.Len()))
		records = binary.LittleEndian.AppendUint32(records, uint32(len(page)))
		text = append(text, name...)
		encoded = appendRow(encoded[:0], r)
		page = append(binary.AppendUvarint(page, uint64(len(encoded))), encoded...)
		if len(page) >= pageSize {
			w.Add("", page)
			page = page[:0]
		}
	}
	if len(page) > 0 {
		w.Add("", page)
	}
	records = append(records, make([]byte, int(textAt)-recordsAt-len(records))...) // of damaged rows
	block := binary.LittleEndian.AppendUint32(nil, count)
	w.Add(base, slices.Concat(block, records, text))
}

// inSaved stands for the saved row of a file.
var inSaved = new(row)

// savedBrief returns the row of a file that has a saved one, as by
// [savedDir.brief], and the id of the session if it is known.
func (f *file) savedBrief() (r row, id string) {
	i := int(f.row) - 1
	return f.in.saved.brief(i), f.in.saved.id(i)
}

// stampedID returns the id in the name of a file that is named like pi's, or "".
func (f *file) stampedID() string {
	if f.row > 0 && f.in.saved.has(int(f.row)-1, savedStamped) {
		return f.in.saved.id(int(f.row) - 1)
	}
	return stampedID(f.name)
}
