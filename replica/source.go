package replica

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

func (p *pushing) source() (io.Reader, error) {
	src := io.NewSectionReader(p.local, 0, p.size)
	if p.Redact == nil {
		return src, nil
	}
	r, err := p.Redact(p.path)
	if err != nil {
		return nil, err
	}
	return &redacting{lines: bufio.NewReaderSize(src, 1<<16), redact: r.Redact}, nil
}

// redacting redacts the lines of a file as it reads them.
type redacting struct {
	lines  *bufio.Reader
	redact func([]byte) []byte
	rest   []byte
}

func (r *redacting) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return 0, err
		}
		// The redaction of an unterminated last line changes when the line
		// grows.
		if !bytes.HasSuffix(line, []byte{'\n'}) {
			return 0, io.EOF
		}
		r.rest = r.redact(line)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// buffer returns a buffer for reading length bytes, of at most a block: most
// pushes are of one line.
func buffer(length int64) []byte { return make([]byte, max(4<<10, min(length, block))) }

// compare reads the source up to the end of a log. The error is errOther if
// they differ and a *BehindError if the log is longer.
func (p *pushing) compare(ctx context.Context, c content, have int64, src io.Reader, sum hash.Hash) (checked int64, err error) {
	if p.own, err = p.ownJournal(ctx); err != nil {
		return 0, err
	}
	at, f := int64(0), p.own.facts[p.facts.Session]
	if f.Length > 0 && f.Length <= have {
		n, err := io.CopyN(sum, src, f.Length)
		switch {
		case errors.Is(err, io.EOF):
			return 0, p.shorter(ctx, c, n, f)
		case err != nil:
			return 0, err
		case hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
			return 0, errOther
		}
		at, checked = f.Length, f.Length
	}
	ours, theirs := buffer(have-at), buffer(have-at)
	for at < have {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		want := min(int64(len(ours)), have-at)
		n, err := io.ReadFull(src, ours[:want])
		short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !short {
			return 0, err
		}
		if _, err := c.ReadAt(theirs[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if !bytes.Equal(ours[:n], theirs[:n]) {
			return 0, errOther
		}
		if short {
			return 0, p.behindError(f)
		}
		sum.Write(ours[:n])
		at += int64(n)
	}
	return checked, nil
}

// shorter returns the error for a source that is shorter than the log: a
// *BehindError if it is a prefix of the log, and otherwise errOther.
func (p *pushing) shorter(ctx context.Context, c content, length int64, recorded Facts) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	same, err := sameBytes(ctx, src, io.NewSectionReader(c, 0, length), length)
	if err != nil {
		return err
	}
	if !same {
		return errOther
	}
	return p.behindError(recorded)
}

// behindError returns the error for a source that is a prefix of the log, which
// means that the file is an older version. But redaction omits an unterminated
// last line, so a log pushed under another policy counts as another file; then
// entries are compared.
func (p *pushing) behindError(recorded Facts) error {
	if recorded.Policy != p.facts.Policy {
		return errOther
	}
	return &BehindError{Path: p.path, Replica: Replica{Person: p.Person, Machine: p.Machine, Session: p.facts.Session}}
}

// sameBytes reports whether the next length bytes of two sources are the same.
func sameBytes(ctx context.Context, a, b io.Reader, length int64) (bool, error) {
	x, y := buffer(length), buffer(length)
	for length > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n := min(int64(len(x)), length)
		if _, err := io.ReadFull(a, x[:n]); err != nil {
			return false, err
		}
		if _, err := io.ReadFull(b, y[:n]); err != nil {
			return false, err
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, nil
		}
		length -= n
	}
	return true, nil
}

// missing returns the number of entries of a replica that the file lacks.
func (p *pushing) missing(ctx context.Context, r Replica) (int, error) {
	c, err := p.open(ctx, r.Log())
	if err != nil {
		return 0, err
	}
	defer c.Close()
	size, err := c.Size(ctx)
	if err != nil {
		return 0, err
	}
	theirs, err := readLines(ctx, io.NewSectionReader(c, 0, size))
	if err != nil {
		return 0, err
	}
	ours, err := readLines(ctx, io.NewSectionReader(p.local, 0, p.size))
	if err != nil {
		return 0, err
	}
	missing := 0
	for id := range theirs.byID {
		if len(ours.byID[id]) == 0 && !theirs.onlyMarkers(id) {
			missing++
		}
	}
	return missing, nil
}
