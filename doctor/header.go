package doctor

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// makeHeader makes a header for a session that does not start with one, and
// describes its source. v is the file after a line of shift bytes.
func (r *reading) makeHeader(v *view, shift int64) (line []byte, from string, err error) {
	h := r.guessHeader(v)
	for _, f := range v.state.Faults {
		if f.Kind != journal.FaultExtraHeader {
			continue
		}
		line, err := r.recordAt(f.Offset - shift)
		if err != nil {
			return nil, "", err
		}
		if _, err := format.DecodeHeader(line); err != nil {
			line = jsonl.Set(line, "id", jsonl.AppendString(nil, h.ID))
		}
		if _, err := format.DecodeHeader(line); err == nil {
			r.movedAt = f.Offset - shift
			return line, "a header further down", nil
		}
	}
	from = "the file name"
	torn, err := r.readTornHeader(h)
	if torn {
		from = "the remains of the old one"
	}
	return format.AppendHeader(nil, h), from, err
}

// recordAt returns the whole record that starts at an offset of the file.
func (r *reading) recordAt(off int64) ([]byte, error) {
	line, err := r.lineAt(off)
	if err != nil {
		return nil, err
	}
	record, ok := journal.FirstRecord(line)
	if !ok {
		return line, nil
	}
	return record, nil
}

// sampled is how much is read of a line that is too long.
const sampled = 64 << 10

// lineAt returns the rest of the line from a byte of the file on, or the start of
// one that is too long.
func (r *reading) lineAt(off int64) (line []byte, err error) {
	var lines jsonl.Lines
	_, err = lines.Each(context.Background(), r.body, off, r.size, func(l *jsonl.Line) error {
		line = bytes.Clone(l.Data)
		if l.TooLong {
			line = make([]byte, sampled)
			if _, err := jsonl.ReadFull(r.body, line, l.At); err != nil {
				return err
			}
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return line, err
}

var errFound = errors.New("found")

// guessHeader fills a header from the name of the file, its entries and its
// neighbors. Unknown values stay empty: a project is never invented.
func (r *reading) guessHeader(v *view) *format.Header {
	name := strings.TrimSuffix(filepath.Base(r.file), filepath.Ext(r.file))
	at, id, ok := format.ParseFileName(name)
	if !ok {
		at, id = r.firstTime(v.state), name
	}
	if !format.ValidSessionID(id) {
		id = sessiondir.NewSessionID(at)
	}
	return &format.Header{Version: r.versionOf(v), ID: id, Timestamp: format.FormatTime(at), Cwd: r.neighbourCwd()}
}

// versionOf returns the version of entries without a header: in version 1 they
// have no ids.
func (r *reading) versionOf(v *view) int {
	for i := range v.state.Len() {
		if v.state.ID(i) != "" {
			return format.Version
		}
	}
	return 1
}

// firstTime returns the time of the first entry that has one, or the current
// time.
func (r *reading) firstTime(t *journal.State) time.Time {
	for i := range t.Len() {
		if at := t.At(i).Time; at != journal.NoTime {
			return time.UnixMilli(at)
		}
	}
	return r.opt.now()
}

// readTornHeader reads the intact members of a truncated header, and reports
// whether there is one.
func (r *reading) readTornHeader(h *format.Header) (bool, error) {
	line, err := r.lineAt(0)
	if err != nil {
		return false, err
	}
	line = bytes.TrimLeft(line, "\x00 \t\r\ufeff")
	if !bytes.Contains(line[:min(len(line), 64)], []byte(`"session"`)) {
		return false, nil
	}
	for key, raw := range jsonl.Members(line) {
		text, ok := jsonl.String(raw)
		switch name, _ := jsonl.String(key); {
		case !ok:
		case name == "id" && text != "":
			h.ID = text
		case name == "cwd":
			h.Cwd = text
		case name == "timestamp" && text != "":
			h.Timestamp = text
		case name == "parentSession":
			h.ParentSession = text
		}
	}
	return true, nil
}

// neighbours is how many files in the directory are read for their project.
const neighbours = 50

// neighbourCwd returns the working directory of other sessions in the
// directory, if the directory is named after it: then it is also this
// session's.
func (r *reading) neighbourCwd() string {
	if !filestore.Is(r.opt.logs()) {
		return ""
	}
	dir := filepath.Dir(r.file)
	files, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	if cwd := cwdNamed(filepath.Base(dir)); cwd != "" {
		return cwd
	}
	asked := 0
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if path == r.file || filepath.Ext(path) != format.FileSuffix || asked == neighbours {
			continue
		}
		asked++
		if h, err := sessiondir.HeaderOf(path); err == nil && h.Cwd != "" && format.ProjectDir(h.Cwd) == filepath.Base(dir) {
			return h.Cwd
		}
	}
	return ""
}

// cwdNamed returns the working directory that a session directory is named
// after, if it exists and has no dashes in its path.
func cwdNamed(folder string) string {
	cwd := string(filepath.Separator) + strings.ReplaceAll(strings.Trim(folder, "-"), "-", string(filepath.Separator))
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() || format.ProjectDir(cwd) != folder {
		return ""
	}
	return cwd
}
