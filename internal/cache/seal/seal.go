// Package seal authenticates the values in a cache directory, so that only
// values that this user's pith wrote are used.
//
// A directory has a random key in a file that only its owner can read. The key
// is bound to the location of that file on the disk and to the time of its last
// change, which programs cannot set: a cache that was copied, unpacked or
// checked out has another key, and all of its values are rebuilt. On systems
// that provide neither, such as Windows, the key consists only of the random
// bytes.
//
// A seal does not protect against a program that runs as the same user. Such a
// program could read the key, but it could also write to the sessions
// themselves.
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

// An ExposedError means that a cache directory is not used because another user
// could change its content.
type ExposedError struct {
	Dir  string // the cache directory
	Path string // Dir or a directory above it
	// Owner is the other user who owns Path, or -1 if the owner is right but
	// others may write to it.
	Owner int
}

func (e *ExposedError) Error() string {
	if e.Owner >= 0 {
		return fmt.Sprintf("the cache directory %s is not used: %s belongs to another user (%d)", e.Dir, e.Path, e.Owner)
	}
	return fmt.Sprintf("the cache directory %s is not used: other users can write to %s", e.Dir, e.Path)
}

// Check returns an *ExposedError if dir belongs to another user, or if other
// users could change its content. For a directory that does not exist, the
// directories above it are checked.
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

// A Key seals the values of one directory, with AES-GCM over an empty
// plaintext, which takes a tenth of the time of an HMAC on processors with AES
// support. It is safe for concurrent use.
type Key struct {
	aead    cipher.AEAD
	buffers sync.Pool // of *[]byte
}

const keyFile = "key"

// Open returns the key of dir. It creates the directory and the key if they do
// not exist. The error is an *ExposedError if the directory is not private.
func Open(dir string) (*Key, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := Check(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, keyFile)
	secret, err := read(path)
	for start := time.Now(); err != nil && time.Since(start) < 2*patience; secret, err = read(path) {
		if errors.Is(err, errShort) && time.Since(start) < patience && beingCreated(path) {
			time.Sleep(time.Millisecond)
			continue
		}
		if !errors.Is(err, os.ErrNotExist) {
			_ = os.Remove(path) // unusable, or its creator is gone
		}
		if err := create(path); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
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

// patience is the time that another process has to write the key after it
// created the file, which a busy machine can stop in between.
const patience = 5 * time.Second

// beingCreated reports whether the key file is so new that its creator may still
// write to it.
func beingCreated(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) < patience
}

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

// create creates a new key, unless there is one.
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

// Sealed returns value with its seal appended. The value is valid only under
// the same kind and name.
func (k *Key) Sealed(kind, name string, value []byte) []byte {
	buf := k.subject(kind, name, value)
	defer k.buffers.Put(buf)
	return k.aead.Seal(value, nil, nil, *buf)
}

// Unsealed returns the value that was sealed under kind and name; ok is false
// for anything else.
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

// subject returns the data that a seal covers, in a buffer from the pool.
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
