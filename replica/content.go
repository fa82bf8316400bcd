package replica

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"filippo.io/age"

	"github.com/pith-sessions/pith/store"
)

// A content is what a log holds as the file had it, whether it is encrypted or not.
type content interface {
	io.ReaderAt
	Size() (int64, error)
	// Append adds bytes if the content is at bytes long; the error is a
	// *store.ConflictError otherwise.
	Append(at int64, p []byte) (int64, error)
	Close() error
}

// open opens what a replica holds.
func (t *Team) open(r Replica) (content, error) { return t.openLog(r.log(), r.Sealed) }

func (t *Team) openLog(name string, sealed bool) (content, error) {
	if sealed && t.Key == nil {
		return nil, ErrSealed
	}
	l, err := t.store.Open(name)
	if err != nil || !sealed {
		return l, err
	}
	return openSealed(l, name, t.Key)
}

// create makes a log that holds p.
func (t *Team) create(name string, sealed bool, p []byte) (content, error) {
	if !sealed {
		return t.store.Create(name, store.Bytes(p))
	}
	frame, err := t.Key.seal(0, p)
	if err != nil {
		return nil, err
	}
	l, err := t.store.Create(name, store.Bytes(frame))
	if err != nil {
		return nil, err
	}
	return openSealed(l, name, t.Key)
}

// A Key encrypts for some and decrypts for who has an identity among them.
type Key struct {
	identities []age.Identity
	recipients []age.Recipient
}

// ErrNoKey says that a file of keys holds none.
var ErrNoKey = errors.New("no key: a file as age-keygen writes it is needed, and may name others with lines that begin with age1")

// ReadKey reads a file of keys as age-keygen writes them: identities, for each of which
// is encrypted, and recipients (age1…) that can read too.
func ReadKey(src io.Reader) (*Key, error) {
	data, err := io.ReadAll(io.LimitReader(src, 1<<20))
	if err != nil {
		return nil, err
	}
	k := &Key{}
	for line := range bytes.Lines(data) {
		word := string(bytes.TrimSpace(line))
		if word == "" || word[0] == '#' {
			continue
		}
		if id, err := age.ParseX25519Identity(word); err == nil {
			k.identities = append(k.identities, id)
			k.recipients = append(k.recipients, id.Recipient())
		} else if r, err := age.ParseX25519Recipient(word); err == nil {
			k.recipients = append(k.recipients, r)
		} else {
			return nil, ErrNoKey // the line may hold a secret
		}
	}
	if len(k.identities) == 0 {
		return nil, ErrNoKey
	}
	return k, nil
}

// frameHead stands before each encrypted part, as a line.
type frameHead struct {
	At    int64 `json:"at"`    // where the part begins in the file
	Plain int64 `json:"plain"` // its length there
	Size  int64 `json:"size"`  // and here
}

// seal makes a frame of p.
func (k *Key) seal(at int64, p []byte) ([]byte, error) {
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, k.recipients...)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(p); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	head, err := json.Marshal(frameHead{at, int64(len(p)), int64(sealed.Len())})
	if err != nil {
		return nil, err
	}
	return slices.Concat(head, []byte{'\n'}, sealed.Bytes()), nil
}

// sealed is an encrypted log: frames one behind the other, each added in one append.
type sealed struct {
	log    store.Log
	name   string
	key    *Key
	frames []frame
	end    int64 // of the log, as far as it was looked at
	last   int   // the frame that is decrypted in plain
	plain  []byte
}

type frame struct {
	frameHead
	off int64 // of the encrypted bytes in the log
}

func openSealed(l store.Log, name string, key *Key) (*sealed, error) {
	s := &sealed{log: l, name: name, key: key, last: -1}
	if _, err := s.Size(); err != nil {
		_ = l.Close() // was only read
		return nil, err
	}
	return s, nil
}

// mostHead is how long the line before a frame can be.
const mostHead = 200

// Size looks at the heads of frames that were added.
func (s *sealed) Size() (int64, error) {
	size, err := s.log.Size()
	if err != nil {
		return 0, err
	}
	if size < s.end {
		s.frames, s.end, s.last = nil, 0, -1 // the store was set back
	}
	for s.end < size {
		head := make([]byte, min(mostHead, size-s.end))
		if _, err := s.log.ReadAt(head, s.end); err != nil {
			return 0, err
		}
		line, _, found := bytes.Cut(head, []byte{'\n'})
		var h frameHead
		off := s.end + int64(len(line)) + 1
		if !found || json.Unmarshal(line, &h) != nil || h.At != s.plainSize() || h.Plain < 0 || h.Size <= 0 || h.Size > size-off {
			return 0, fmt.Errorf("%s: byte %d: %w", s.name, s.end, ErrBroken)
		}
		s.frames = append(s.frames, frame{h, off})
		s.end = off + h.Size
	}
	return s.plainSize(), nil
}

func (s *sealed) plainSize() int64 {
	if len(s.frames) == 0 {
		return 0
	}
	f := s.frames[len(s.frames)-1]
	return f.At + f.Plain
}

func (s *sealed) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		i := sort.Search(len(s.frames), func(i int) bool { return s.frames[i].At+s.frames[i].Plain > at })
		if i == len(s.frames) {
			return n, io.EOF
		}
		if err := s.decrypt(i); err != nil {
			return n, err
		}
		n += copy(p[n:], s.plain[at-s.frames[i].At:])
	}
	return n, nil
}

func (s *sealed) decrypt(i int) error {
	if s.last == i {
		return nil
	}
	f := s.frames[i]
	r, err := age.Decrypt(io.NewSectionReader(s.log, f.off, f.Size), s.key.identities...)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return fmt.Errorf("%s: %w", s.name, ErrSealed)
	}
	if err != nil {
		return fmt.Errorf("%s: byte %d: %w: %v", s.name, f.off, ErrBroken, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil || int64(len(plain)) != f.Plain {
		return fmt.Errorf("%s: byte %d: %w: %v", s.name, f.off, ErrBroken, err)
	}
	s.last, s.plain = i, plain
	return nil
}

func (s *sealed) Append(at int64, p []byte) (int64, error) {
	if have := s.plainSize(); have != at {
		return 0, &store.ConflictError{Name: s.name, Want: at, Have: have}
	}
	data, err := s.key.seal(at, p)
	if err != nil {
		return 0, err
	}
	if _, err := s.log.Append(s.end, data); err != nil {
		var conflict *store.ConflictError
		if errors.As(err, &conflict) {
			if have, serr := s.Size(); serr == nil {
				return 0, &store.ConflictError{Name: s.name, Want: at, Have: have}
			}
		}
		return 0, err
	}
	_, err = s.Size()
	return at, err
}

func (s *sealed) Close() error { return s.log.Close() }
