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
)

// Check scans a file, as Line does for lines of JSON and as Text does otherwise,
// and returns the secrets found, with the numbers of their lines.
func (r *Redactor) Check(src io.Reader) (found []Finding, err error) {
	err = eachPart(src, func(part []byte, isJSON bool, line, fresh int) {
		for _, e := range r.edits(part, isJSON, numberAll) {
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
		cut := lineStart(text, max(0, len(text)-keep))
		first += bytes.Count(text[:cut], []byte{'\n'})
		text = append(text[:0], text[cut:]...)
		fresh = len(text)
	}
	for {
		line, err := in.ReadBytes('\n')
		if isRecord(line) {
			flush(0)
			scan(line, true, first, 0)
			first++
		} else if text = append(text, line...); len(text) >= checkPart {
			flush(checkOver)
		}
		if err != nil {
			flush(0)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}
