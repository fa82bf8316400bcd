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

// safe is a name for any text: a few of its letters and digits, to be recognized by,
// and 160 bits of a hash, which tell it apart from every other text. It is made of
// lower-case letters, digits and one hyphen, whatever the file system.
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

// folder is where the sessions of a user are. It is named as pi names the folder of a
// project, by which pith knows a folder of such folders.
func (s *Service) folder(app, user string) string {
	return path.Join(s.dir, folderStart(app)+safe(user)+"--")
}

// folderStart is how the names of an app's folders begin, and of no other app's.
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

// headerID is the session id for pi's header: the ADK id where it can be one.
func (k key) headerID() string {
	if len(k.ID) <= 128 && format.ValidSessionID(k.ID) {
		return k.ID
	}
	return strings.TrimPrefix(safe(k.ID), "-")
}
