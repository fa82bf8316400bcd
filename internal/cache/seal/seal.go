// Package seal authenticates what a cache folder holds, so that a value in it is one
// that this user's pith put there, or is not used.
//
// A folder has a random key in a file that its owner alone can read. The key is bound
// to that file's place on the disk and to the time of its last change, which nobody
// can set: a cache that was copied, unpacked or checked out from elsewhere has another
// key, and all of its values are made again. Where the system tells neither, as on
// Windows, the random bytes alone are the key.
//
// A seal does not protect against a program that runs as the same user. It could read
// the key, but it could also write to the sessions themselves.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// An ExposedError says that a cache folder is not used, because another user could
// change what is in it.
type ExposedError struct {
	Dir  string // the cache folder
	Path string // Dir or a folder above it
	// Owner is the other user to whom Path belongs; -1 if it belongs to the right one
	// and others may write to it.
	Owner int
}

func (e *ExposedError) Error() string {
	if e.Owner >= 0 {
		return fmt.Sprintf("the cache folder %s is not used: %s belongs to another user (%d)", e.Dir, e.Path, e.Owner)
	}
	return fmt.Sprintf("the cache folder %s is not used: other users can write to %s", e.Dir, e.Path)
}

// Check returns an *ExposedError if dir belongs to another user, or if other users
// could change what is in it. A folder that does not exist is judged by those above it.
func Check(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	there := dir
	for above := filepath.Dir(there); above != there; above = filepath.Dir(there) {
		if _, err := os.Lstat(there); !errors.Is(err, os.ErrNotExist) {
			break
		}
		there = above
	}
	return exposed(dir, there)
}

// Size is the length of a seal: the nonce and the tag of GCM.
const Size = 12 + 16

// A Key seals the values of one folder, with AES-GCM over no plaintext, which takes a
// tenth of the time of an HMAC where the processor knows AES. Its methods may be called
// from several goroutines.
type Key struct {
	aead    cipher.AEAD
	buffers sync.Pool // of *[]byte
}

const keyFile = "key"

// Open returns the key of dir. It makes the folder and the key if they do not exist.
// The error is an *ExposedError if the folder is not private.
func Open(dir string) (*Key, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := Check(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, keyFile)
	secret, err := read(path)
	for start := time.Now(); err != nil && time.Since(start) < patience; secret, err = read(path) {
		if errors.Is(err, errShort) {
			time.Sleep(patience / 100) // another process is making it
			continue
		}
		if !errors.Is(err, os.ErrNotExist) {
			_ = os.Remove(path) // of no use
		}
		if err := create(path); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	if errors.Is(err, errShort) {
		_ = os.Remove(path) // its maker is gone; the next caller makes another one
	}
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret[:16])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Key{aead: aead}, nil
}

// patience is how long a caller waits for another process to make the key.
const patience = 100 * time.Millisecond

// PlaceSize is the length of a place.
const PlaceSize = 24

var (
	errKey   = errors.New("not a private file of this user")
	errShort = errors.New("the key is not complete")
)

// read returns the secret in a key file, bound to that file.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	secret := make([]byte, sha256.Size+1)
	n, _ := f.Read(secret) // an error leaves it short
	if n < sha256.Size {
		return nil, errShort
	}
	secret = secret[:sha256.Size]
	place, err := Place(f)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append(secret, place[:]...))
	return sum[:], nil
}

// create makes a new key, unless there is one.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	secret := make([]byte, sha256.Size)
	rand.Read(secret) // never fails
	_, err = f.Write(secret)
	return errors.Join(err, f.Close())
}

// Sealed returns value with its seal behind it. kind and name are what the value is
// about: it is not valid under others.
func (k *Key) Sealed(kind, name string, value []byte) []byte {
	buf := k.subject(kind, name, value)
	defer k.buffers.Put(buf)
	return k.aead.Seal(value, nil, nil, *buf)
}

// Unsealed returns the value that was sealed under kind and name; ok is false for
// anything else.
func (k *Key) Unsealed(kind, name string, b []byte) (value []byte, ok bool) {
	n := len(b) - Size
	if n < 0 {
		return nil, false
	}
	buf := k.subject(kind, name, b[:n])
	defer k.buffers.Put(buf)
	_, err := k.aead.Open(nil, nil, b[n:], *buf)
	return b[:n], err == nil
}

// subject returns all that a seal is over, in a buffer to be put back.
func (k *Key) subject(kind, name string, value []byte) *[]byte {
	buf, _ := k.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	b := binary.AppendUvarint((*buf)[:0], uint64(len(kind)))
	b = binary.AppendUvarint(b, uint64(len(name)))
	b = append(append(append(b, kind...), name...), value...)
	*buf = b
	return buf
}
