package replica

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"filippo.io/age"

	"github.com/pith-sessions/pith/store"
)

// An encrypted log is a sequence of frames, each added by one append. A frame
// is a readable line of JSON (frameHead) and an age file. Its plaintext is
// another line of JSON (binding) and a piece of the session's file.
//
// The binding names the log, the position in it and the previous frame. A frame
// that the operator of the store drops, repeats, reorders or copies from
// another log does not match. The salt makes the hash of a frame unknown
// without the key, so that knowing the public keys is not enough to continue a
// log.

// A Key encrypts for its recipients and decrypts with its identities.
type Key struct {
	identities []age.Identity
	recipients []age.Recipient
}

// ErrNoKey means that a key file contains no key.
var ErrNoKey = errors.New("no key: use a file made by age-keygen; lines that start with age1 add recipients")

// ReadKey reads a key file as age-keygen writes it: identities, for each of
// which copies are encrypted, and recipients (age1…) that can also read them.
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
			return nil, ErrNoKey // the line may contain a secret
		}
	}
	if len(k.identities) == 0 {
		return nil, ErrNoKey
	}
	return k, nil
}

// frameHead is the line before each encrypted part.
type frameHead struct {
	At    int64 `json:"at"`    // offset of the part in the file
	Plain int64 `json:"plain"` // its length in the file
	Size  int64 `json:"size"`  // its length in the log, without this line
}

// A binding ties a frame to its position.
type binding struct {
	Log  string `json:"log"`
	At   int64  `json:"at"`
	Prev string `json:"prev"` // SHA-256 of the plaintext of the previous frame; "" for the first
	Salt string `json:"salt"`
}

// seal returns the frame of p in a log, and the hash that the next frame names.
func (k *Key) seal(log string, at int64, prev string, p []byte) (frame []byte, sum string, err error) {
	line, err := json.Marshal(binding{log, at, prev, rand.Text()})
	if err != nil {
		return nil, "", err
	}
	plain := slices.Concat(line, []byte{'\n'}, p)
	var data bytes.Buffer
	w, err := age.Encrypt(&data, k.recipients...)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, "", err
	}
	head, err := json.Marshal(frameHead{at, int64(len(p)), int64(data.Len())})
	if err != nil {
		return nil, "", err
	}
	return slices.Concat(head, []byte{'\n'}, data.Bytes()), hashOf(plain), nil
}

func hashOf(p []byte) string {
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:])
}

// sealed is the plaintext of an encrypted log.
type sealed struct {
	log    store.Log
	name   string
	key    *Key
	bound  bool // whether its frames have bindings
	frames []frame
	end    int64  // end of the log as far as it was read
	last   int    // index of the frame whose plaintext is in plain, or -1
	plain  []byte // without the binding
}

type frame struct {
	frameHead
	off int64  // offset of the encrypted bytes in the log
	sum string // hash of its plaintext; "" until decrypted
}

func openSealed(ctx context.Context, l store.Log, name string, key *Key, bound bool) (*sealed, error) {
	s := &sealed{log: l, name: name, key: key, bound: bound, last: -1}
	if _, err := s.Size(ctx); err != nil {
		_ = l.Close() // only read
		return nil, err
	}
	return s, nil
}

const mostHead = 200

// Size reads the heads of frames added since the last call.
func (s *sealed) Size(ctx context.Context) (int64, error) {
	size, err := s.log.Size(ctx)
	if err != nil {
		return 0, err
	}
	if size < s.end {
		s.frames, s.end, s.last = nil, 0, -1 // the store was restored to an older state
	}
	for s.end < size {
		head := make([]byte, min(mostHead, size-s.end))
		if _, err := s.log.ReadAt(head, s.end); errors.Is(err, io.EOF) {
			return 0, s.broken(s.end, "the log is shorter than it claims to be")
		} else if err != nil {
			return 0, err
		}
		line, _, found := bytes.Cut(head, []byte{'\n'})
		var h frameHead
		off := s.end + int64(len(line)) + 1
		if !found || json.Unmarshal(line, &h) != nil || h.At != s.plainSize() || h.Plain < 0 || h.Size <= 0 || h.Size > size-off {
			return 0, s.broken(s.end, "not an encrypted part")
		}
		s.frames = append(s.frames, frame{frameHead: h, off: off})
		s.end = off + h.Size
	}
	return s.plainSize(), nil
}

func (s *sealed) broken(off int64, why string) error {
	return fmt.Errorf("%s: byte %d: %w: %s", s.name, off, ErrBroken, why)
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

// decrypt decrypts a frame, and checks that it follows the previous one.
func (s *sealed) decrypt(i int) error {
	if s.last == i {
		return nil
	}
	b, plain, err := s.unseal(i)
	if err != nil {
		return err
	}
	if s.bound {
		prev, err := s.sum(i - 1)
		if err != nil {
			return err
		}
		if b.Prev != prev {
			return s.broken(s.frames[i].off, "an earlier part is missing or was replaced")
		}
	}
	s.last, s.plain = i, plain
	return nil
}

// sum returns the hash of a frame, or "" before the first.
func (s *sealed) sum(i int) (string, error) {
	if i < 0 {
		return "", nil
	}
	if s.frames[i].sum == "" {
		if _, _, err := s.unseal(i); err != nil {
			return "", err
		}
	}
	return s.frames[i].sum, nil
}

// unseal decrypts a frame, records its hash, and checks that it belongs to this
// log and position.
func (s *sealed) unseal(i int) (b binding, plain []byte, err error) {
	f := &s.frames[i]
	data, err := io.ReadAll(io.NewSectionReader(s.log, f.off, f.Size)) // a log may claim any size
	if err != nil {
		return b, nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(data), s.key.identities...)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return b, nil, fmt.Errorf("%s: %w", s.name, ErrSealed)
	}
	if err == nil {
		plain, err = io.ReadAll(r)
	}
	if err != nil {
		return b, nil, s.broken(f.off, err.Error())
	}
	if s.bound {
		f.sum = hashOf(plain)
		line, rest, found := bytes.Cut(plain, []byte{'\n'})
		if !found || json.Unmarshal(line, &b) != nil || b.Log != s.name || b.At != f.At {
			return b, nil, s.broken(f.off, "the part is from another position")
		}
		plain = rest
	}
	if int64(len(plain)) != f.Plain {
		return b, nil, s.broken(f.off, "the part has another length")
	}
	return b, plain, nil
}

func (s *sealed) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	if have := s.plainSize(); have != at {
		return 0, &store.ConflictError{Name: s.name, Want: at, Have: have}
	}
	prev, err := s.sum(len(s.frames) - 1)
	if err != nil {
		return 0, err
	}
	data, sum, err := s.key.seal(s.name, at, prev, p)
	if err != nil {
		return 0, err
	}
	if _, err := s.log.Append(ctx, s.end, data); err != nil {
		if errors.Is(err, store.ErrConflict) {
			if have, serr := s.Size(ctx); serr == nil {
				return 0, &store.ConflictError{Name: s.name, Want: at, Have: have}
			}
		}
		return 0, err
	}
	own := len(s.frames)
	if _, err = s.Size(ctx); err == nil {
		s.frames[own].sum = sum
	}
	return at, err
}

func (s *sealed) Close() error { return s.log.Close() }
