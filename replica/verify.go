package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// checkpoint returns the facts that the machine of an encrypted replica
// recorded, or the zero value if none can be trusted.
func (t *Team) checkpoint(ctx context.Context, r Replica) (Facts, error) {
	if !r.Sealed {
		return Facts{}, nil
	}
	j, err := t.journalOf(ctx, r, sealedMark)
	if err != nil {
		return Facts{}, err
	}
	f := j.of(r)
	if r.Unbound && f.Session != "" {
		return Facts{}, fmt.Errorf("%w: its machine has since written copies whose parts are bound to their places", ErrBroken)
	}
	if r.Unbound || f.Generation != r.Generation {
		return Facts{}, nil
	}
	return f, nil
}

// verify reads a whole encrypted copy, which detects every modification but a
// truncation, and compares it with its checkpoint, which detects that. Nothing
// is used from an unverified copy.
func verify(ctx context.Context, c content, size int64, f Facts) error {
	if size < f.Length {
		return fmt.Errorf("%w: it has %d bytes, and its machine wrote %d", ErrBroken, size, f.Length)
	}
	part := func(from, to int64) io.Reader {
		src := io.NewSectionReader(c, from, to-from)
		return readerFunc(func(p []byte) (int, error) {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			return src.Read(p)
		})
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, part(0, f.Length)); err != nil {
		return err
	}
	if f.Length > 0 && hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%w: it differs from what its machine wrote", ErrBroken)
	}
	_, err := io.Copy(io.Discard, part(f.Length, size))
	return err
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
