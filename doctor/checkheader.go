package doctor

import (
	"bytes"
	"fmt"
	"math"
	"runtime"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// checkMode finds files that other users can read. Windows has no such modes.
func (d *diagnosis) checkMode() {
	if runtime.GOOS == "windows" || d.mode.Perm()&0o077 == 0 {
		return
	}
	who := "its group"
	if d.mode.Perm()&0o007 != 0 {
		who = "everyone"
	}
	if d.whole(OpenToOthers, fmt.Sprintf("the file's mode is %04o: %s can read it", d.mode.Perm(), who)) {
		d.changeSet.private = true
	}
}

func (d *diagnosis) checkHeader() {
	t := d.was.state
	h := t.Header
	if d.made != nil && d.at(MissingHead, 1, 0, "the file does not start with a header") {
		d.fix("make a header from %s", d.from)
		if d.movedAt >= 0 {
			d.fix("move the header to the start of the file")
		}
		d.changeSet.migrate = true // the header is not in the file, so the whole file is written
	}
	d.headLine = d.headerLine()
	line, offset := d.headLine, t.HeaderAt
	switch odd := oddVersion(h); {
	case h.Version > format.Version:
		d.at(TooNew, line, offset, fmt.Sprintf("format version %d", h.Version))
	case odd != "":
		if d.at(BadVersion, line, offset, fmt.Sprintf("the header's version is %s", odd)) {
			d.changeSet.migrate = true
		}
	case h.Version < format.Version:
		if d.at(OldVersion, line, offset, fmt.Sprintf("format version %d", h.Version)) {
			d.changeSet.migrate = true
		}
	}
	if _, ok := h.Time(); !ok && d.at(HeaderTime, line, offset, "the header's time is not a date") {
		d.changeSet.header = append(d.changeSet.header, text("timestamp", format.FormatTime(d.firstTime(t))))
	}
}

func (d *diagnosis) headerLine() int {
	t := d.was.state
	before, err := d.was.bytes(0, int(t.HeaderAt))
	if err != nil {
		return 1
	}
	return 1 + bytes.Count(before, []byte{'\n'})
}

// oddVersion returns the header's version as written if it is not a valid
// version, or "".
func oddVersion(h *format.Header) string {
	raw, ok := jsonl.Lookup(h.Raw, "version")
	if !ok {
		return ""
	}
	v, number := jsonl.Float(raw)
	if number && v >= 1 && v == math.Trunc(v) {
		return ""
	}
	const most = 40
	return fmt.Sprintf("%.*s", most, raw)
}
