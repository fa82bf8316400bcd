package redact

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	// checkPart is how much text that is not JSON is scanned at a time.
	checkPart = 512 << 10
	// checkOver is how much of it is scanned again with the next part, so that
	// nothing is missed at the border.
	checkOver = 64 << 10
	// longestLine is the size up to which a line is scanned as a whole. A longer
	// one is scanned as text.
	longestLine = 2 << 20
)

// Check scans a file, as Line does for lines of JSON and as Text does otherwise,
// and returns the secrets found, with the numbers of their lines.
func (r *Redactor) Check(src io.Reader) (found []Finding, err error) {
	err = eachPart(src, func(part []byte, isJSON bool, line, fresh int) {
		for _, e := range r.edits(part, isJSON, r.number) {
			if e.end > fresh {
				e.finding.Line = line + bytes.Count(part[:e.start], []byte{'\n'})
				found = append(found, e.finding)
			}
		}
	})
	return found, err
}

// eachPart calls scan for each line of JSON and for the text between them, in
// parts. line is the number of the first line of a part, and fresh the offset in
// it up to which the part before contained it too.
func eachPart(src io.Reader, scan func(part []byte, isJSON bool, line, fresh int)) error {
	in := bufio.NewReaderSize(src, 1<<16)
	var text []byte // lines that are not JSON
	first, fresh := 1, 0
	flush := func(keep int) {
		scan(text, false, first, fresh)
		cut := max(0, len(text)-keep)
		if start := lineStart(text, cut); keep > 0 && start > 0 {
			cut = start // else within a long line
		}
		first += bytes.Count(text[:cut], []byte{'\n'})
		text = append(text[:0], text[cut:]...)
		fresh = len(text)
	}
	var line []byte
	for long := false; ; {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		more := errors.Is(err, bufio.ErrBufferFull)
		if more && !long && len(line) < longestLine {
			continue
		}
		if !more && !long && isRecord(line) {
			flush(0)
			scan(line, true, first, 0)
			first++
		} else if text = append(text, line...); len(text) >= checkPart {
			flush(checkOver)
		}
		line, long = line[:0], more
		if err != nil && !more {
			flush(0)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}
