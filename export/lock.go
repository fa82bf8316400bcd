package export

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Errors of [CheckPassword].
var (
	ErrShortPassword = errors.New("the password is too short; use at least 8 characters")
	ErrOddPassword   = errors.New("the password has characters that cannot be typed")
)

const (
	// rounds is the number of password hashing rounds, which makes guessing
	// slow.
	rounds = 600_000
	// segmentSize is how much of the page is encrypted at a time.
	segmentSize = 1 << 20
)

// CheckPassword returns [ErrShortPassword] or [ErrOddPassword] for a password
// that protects nothing, or that no reader can type into a browser. Callers
// check passwords; exports take any.
func CheckPassword(password string) error {
	switch {
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return ErrOddPassword
	case utf8.RuneCountInString(password) < 8: // a reader can guess without limit
		return ErrShortPassword
	}
	return nil
}

// locked writes the page so that it can be read only with the password:
// AES-256-GCM under a key derived from the password by PBKDF2, both of which
// every browser has. The page reveals nothing about the session, not even its
// name.
func locked(w io.Writer, password string, body func(io.Writer) error) error {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	gcm, err := cipherOf(password, salt)
	if err != nil {
		return err
	}
	if err := head(w, "Password-protected session"); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, lockForm, base64.StdEncoding.EncodeToString(salt), rounds); err != nil {
		return err
	}
	seal := &sealer{w: w, gcm: gcm}
	if err := body(seal); err != nil {
		return err
	}
	if err := seal.flush(true); err != nil {
		return err
	}
	_, err = io.WriteString(w, tail())
	return err
}

func cipherOf(password string, salt []byte) (cipher.AEAD, error) {
	key, err := pbkdf2.Key(sha256.New, password, salt, rounds, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// opener decrypts segments in order, as the page's script does.
type opener struct {
	gcm cipher.AEAD
	n   uint32
}

// opener parses the line that [Plan.Write] wrote about the encryption.
func (p *Plan) opener(line string) (opener, error) {
	_, salt, _ := strings.Cut(line, `data-salt="`)
	salt, _, _ = strings.Cut(salt, `"`)
	raw, err := base64.StdEncoding.DecodeString(salt)
	if err != nil {
		return opener{}, err
	}
	gcm, err := cipherOf(p.Password, raw)
	return opener{gcm: gcm}, err
}

func (o *opener) next(data []byte) ([]byte, error) {
	out, err := o.gcm.Open(nil, nonceOf(o.n, false), data, nil)
	if err != nil {
		out, err = o.gcm.Open(nil, nonceOf(o.n, true), data, nil)
	}
	o.n++
	return out, err
}

func nonceOf(n uint32, last bool) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint32(nonce[8:], n)
	if last {
		nonce[0] = 1
	}
	return nonce
}

const lockForm = `<main class="lock" id="locked" data-salt="%s" data-rounds="%d"><h1>Password-protected session</h1><form><label for="password">Password</label><input class="search" id="password" type="password" autocomplete="off" autofocus><button type="submit">open</button><p class="bad" id="wrong" role="alert" hidden>This is not the password.</p></form><noscript><p>Scripts are needed to decrypt this page.</p></noscript></main>
`

// sealer encrypts its input in segments. Their nonces are numbered, and the
// last one is marked, so that none can be lost, duplicated or reordered.
type sealer struct {
	w   io.Writer
	gcm cipher.AEAD
	buf bytes.Buffer
	n   uint32
}

func (s *sealer) Write(p []byte) (int, error) {
	s.buf.Write(p)
	for s.buf.Len() > segmentSize {
		if err := s.flush(false); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (s *sealer) flush(last bool) error {
	text := s.gcm.Seal(nil, nonceOf(s.n, last), s.buf.Next(segmentSize), nil)
	s.n++
	_, err := fmt.Fprintf(s.w, `<script type="text/plain" data-segment>%s</script>`+"\n", base64.StdEncoding.EncodeToString(text))
	return err
}
