package replica

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/pith-sessions/pith/store"
)

// Facts are what a machine tells of a copy besides its bytes.
type Facts struct {
	Session    string `json:"session"`
	Generation int    `json:"generation"`
	// File is the name of the file, without its folder.
	File string `json:"file,omitempty"`
	Cwd  string `json:"cwd,omitempty"`
	// Project is what the working directory belongs to, whatever it is called there.
	Project Project `json:"project,omitzero"`
	// Policy is how secrets were replaced; "" for not at all.
	Policy string `json:"redacted,omitempty"`
	// Length and SHA256 are a checkpoint: the hash of so many first bytes.
	Length int64  `json:"length,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// A journal is what one machine tells of its copies: a log of its own, one line of JSON
// for each change. It is a help alone: without it a push compares bytes, and a pull
// knows no project.
type journal struct {
	name   string
	sealed bool
	size   int64
	facts  map[string]Facts // of the newest generation, by session
	// former are the facts of generations that were replaced.
	former map[generation]Facts
}

// A generation is one of a machine's copies of a session.
type generation struct {
	session string
	number  int
}

func newJournal(name string) *journal {
	return &journal{name: name, facts: map[string]Facts{}, former: map[generation]Facts{}}
}

// note takes in what was told last.
func (j *journal) note(f Facts) {
	newest := j.facts[f.Session]
	switch {
	case f.Generation < newest.Generation:
		j.former[generation{f.Session, f.Generation}] = f
		return
	case f.Generation > newest.Generation && newest.Generation > 0:
		j.former[generation{f.Session, newest.Generation}] = newest
	}
	j.facts[f.Session] = f
}

// journal is what a machine told until now.
func (t *Team) journal(o owner) (*journal, error) {
	j := t.journals[o]
	if j == nil {
		j = newJournal("/" + o.person + "/" + o.machine + "/" + journalName)
	}
	err := t.readJournal(j)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrSealed) && !errors.Is(err, ErrBroken) {
		return nil, err
	}
	t.journals[o] = j
	return j, nil
}

// readJournal reads what was told since it was last read.
func (t *Team) readJournal(j *journal) error {
	c, sealed, err := t.openJournal(j.name)
	if err != nil {
		return err
	}
	defer c.Close()
	if j.sealed != sealed {
		*j = *newJournal(j.name)
		j.sealed = sealed
	}
	size, err := c.Size()
	if err != nil {
		return err
	}
	if size < j.size {
		*j = *newJournal(j.name)
		j.sealed = sealed
	}
	data := make([]byte, size-j.size)
	if _, err := c.ReadAt(data, j.size); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	j.size = size
	for line := range bytes.Lines(data) {
		var f Facts
		if json.Unmarshal(line, &f) == nil && ValidName(f.Session) {
			j.note(f)
		}
	}
	return nil
}

// openJournal prefers the encrypted one where there is a key.
func (t *Team) openJournal(name string) (c content, sealed bool, err error) {
	if t.Key != nil {
		c, err = t.openLog(name+sealedMark, true)
		if !errors.Is(err, fs.ErrNotExist) {
			return c, true, err
		}
	}
	c, err = t.openLog(name, false)
	return c, false, err
}

// tell writes a line into this machine's journal.
func (t *Team) tell(f Facts) error {
	j, err := t.journal(owner{t.Person, t.Machine})
	if err != nil {
		return err
	}
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	name, sealed := j.name, t.Key != nil
	if sealed {
		name += sealedMark
	}
	for range 100 { // other processes of this machine write too
		var c content
		c, err = t.openLog(name, sealed)
		if errors.Is(err, fs.ErrNotExist) {
			c, err = t.create(name, sealed, line)
			if errors.Is(err, store.ErrExist) {
				continue
			}
			if err == nil {
				j.note(f)
				return c.Close()
			}
		}
		if err != nil {
			return err
		}
		var size int64
		if size, err = c.Size(); err == nil {
			_, err = c.Append(size, line)
		}
		if cerr := c.Close(); err == nil {
			err = cerr
		}
		if !errors.Is(err, store.ErrConflict) {
			break
		}
	}
	if err == nil {
		j.note(f)
	}
	return err
}

// Facts are what the machine of a replica had told of it when it was first asked; they
// are not to be trusted.
func (t *Team) Facts(r Replica) (Facts, error) {
	j, known := t.journals[r.owner()]
	if !known {
		var err error
		if j, err = t.journal(r.owner()); err != nil {
			return Facts{}, err
		}
	}
	if f, ok := j.former[generation{r.Session, r.Generation}]; ok {
		return f, nil
	}
	return j.facts[r.Session], nil
}
