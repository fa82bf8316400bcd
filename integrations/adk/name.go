package adksession

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// A key identifies a session for ADK.
type key struct {
	App  string `json:"app"`
	User string `json:"user"`
	ID   string `json:"id"`
}

const stateSuffix = ".state"

// safe returns a name for any text: a few of its letters and digits, for
// recognition, and 160 bits of a hash, which distinguish it from every other
// text. It consists of lower-case letters, digits and one hyphen, so that every
// file system supports it.
func safe(text string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, text[:min(len(text), 64)])
	sum := sha256.Sum256([]byte(text))
	return slug[:min(len(slug), 24)] + "-" + hex.EncodeToString(sum[:20])
}

// folder returns the directory of the sessions of a user. Its name has the form
// of pi's project directories, by which pith recognizes a directory of such
// directories.
func (s *Service) folder(app, user string) string {
	return path.Join(s.dir, folderStart(app)+safe(user)+"--")
}

// folderStart returns the prefix of the names of an app's directories, which no
// other app has.
func folderStart(app string) string { return "--" + safe(app) + "--" }

func (s *Service) sessionName(k key) string {
	return path.Join(s.folder(k.App, k.User), safe(k.ID)+format.FileSuffix)
}

func (s *Service) appStateName(app string) string {
	return path.Join(s.dir, safe(app)+stateSuffix)
}

func (s *Service) userStateName(app, user string) string {
	return path.Join(s.folder(app, user), "user"+stateSuffix)
}

// headerID returns the session id for pi's header: the ADK id if it is valid
// there.
func (k key) headerID() string {
	if len(k.ID) <= 128 && format.ValidSessionID(k.ID) {
		return k.ID
	}
	return strings.TrimPrefix(safe(k.ID), "-")
}
