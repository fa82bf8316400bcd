package replica

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"

	"github.com/pith-sessions/pith/store"
)

// Facts describe a copy.
type Facts struct {
	Session    string `json:"session"`
	Generation int    `json:"generation"`
	// File is the name of the file, without its directory.
	File string `json:"file,omitempty"`
	Cwd  string `json:"cwd,omitempty"`
	// Project is the project of the working directory.
	Project Project `json:"project,omitzero"`
	// Policy is the redaction policy, which also applies to File, Cwd and
	// Project; "" means unredacted.
	Policy string `json:"redacted,omitempty"`
	// Length and SHA256 are a checkpoint: the hash of the first Length bytes.
	Length int64  `json:"length,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// description returns the facts without the checkpoint.
func (f Facts) description() Facts {
	f.Length, f.SHA256 = 0, ""
	return f
}

// A journal is a log in which a machine records the facts of its copies, one
// line of JSON for each change. Encrypted copies have a separate journal, which
// is encrypted too: its checkpoints show a reader that a copy was truncated.
// Otherwise journals are only an optimization: without one, a push compares
// bytes and a pull knows no project.
type journal struct {
	name  string
	head  []byte // first bytes of the log: a difference means that it was replaced
	size  int64  // how much of it was read
	lines int
	facts map[string]Facts // facts of the newest generation, by session
	// replaced holds the facts of replaced generations.
	replaced map[generation]Facts
}

// A generation identifies one of a machine's copies of a session.
type generation struct {
	session string
	number  int
}

func newJournal(name string) *journal {
	return &journal{name: name, facts: map[string]Facts{}, replaced: map[generation]Facts{}}
}

func (j *journal) note(f Facts) {
	j.lines++
	newest := j.facts[f.Session]
	switch {
	case f.Generation < newest.Generation:
		j.replaced[generation{f.Session, f.Generation}] = f
		return
	case f.Generation > newest.Generation && newest.Generation > 0:
		j.replaced[generation{f.Session, newest.Generation}] = newest
	}
	j.facts[f.Session] = f
}

// of returns the facts of a copy, or those of the newest one.
func (j *journal) of(r Replica) Facts {
	if f, ok := j.replaced[generation{r.Session, r.Generation}]; ok {
		return f
	}
	return j.facts[r.Session]
}

// journalOf returns the name of a machine's journal.
func journalOf(person, machine, mark string) string {
	return "/" + person + "/" + machine + "/" + journalName + mark
}

// journal returns the current journal that records a replica's facts.
func (t *Team) journal(ctx context.Context, o owner, mark string) (*journal, error) {
	name := journalOf(o.person, o.machine, mark)
	j := t.journals[name]
	if j == nil {
		j = newJournal(name)
	}
	err := t.readJournal(ctx, j)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrSealed) && (mark == sealedMark || !errors.Is(err, ErrBroken) && !errors.Is(err, store.ErrDamaged)) {
		return nil, err
	}
	t.journals[name] = j
	return j, nil
}

// mostJournal is how much of a journal is read at a time. No machine has that
// many copies.
const mostJournal = 256 << 20

// readJournal reads the lines added since the last read.
func (t *Team) readJournal(ctx context.Context, j *journal) error {
	c, err := t.open(ctx, j.name)
	if err != nil {
		return err
	}
	defer c.Close()
	size, err := c.Size(ctx)
	if err != nil {
		return err
	}
	head, err := firstBytes(c)
	if err != nil {
		return err
	}
	if size < j.size || !bytes.HasPrefix(head, j.head) {
		*j = *newJournal(j.name)
	}
	if size-j.size > mostJournal {
		return fmt.Errorf("%s: %w: a journal of %d bytes", j.name, ErrBroken, size)
	}
	data := make([]byte, size-j.size)
	if _, err := c.ReadAt(data, j.size); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	j.size, j.head = size, head
	for line := range bytes.Lines(data) {
		var f Facts
		if json.Unmarshal(line, &f) == nil && ValidName(f.Session) {
			j.note(f)
		}
	}
	return nil
}

// firstBytes returns the first bytes of a log as stored. In an encrypted one
// they are random.
func firstBytes(c content) ([]byte, error) {
	var l io.ReaderAt = c
	if s, ok := c.(*sealed); ok {
		l = s.log
	}
	head := make([]byte, 512)
	n, err := l.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// ownJournal returns the journal of this machine's copies. If an encrypted one
// has been modified, PushOptions.Replace starts a new one.
func (p *pushing) ownJournal(ctx context.Context) (*journal, error) {
	o, mark := owner{p.Person, p.Machine}, Replica{Sealed: p.Key != nil}.mark()
	j, err := p.journal(ctx, o, mark)
	if errors.Is(err, ErrBroken) && p.o.Replace {
		if err := p.store.Remove(ctx, journalOf(o.person, o.machine, mark)); err != nil {
			return nil, err
		}
		return p.journal(ctx, o, mark)
	}
	return j, err
}

// manyLines is how many outdated lines a journal may have before it is
// rewritten.
const manyLines = 64

func (p *pushing) record(ctx context.Context, f Facts) error {
	var err error
	for range 100 { // other processes of this machine write too
		var j *journal
		if j, err = p.ownJournal(ctx); err != nil {
			return err
		}
		err = p.recordIn(ctx, j, f)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrExist) && !errors.Is(err, store.ErrGone) {
			break
		}
	}
	return err
}

func (p *pushing) recordIn(ctx context.Context, j *journal, f Facts) error {
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	c, err := p.open(ctx, j.name)
	if errors.Is(err, fs.ErrNotExist) {
		if c, err = p.create(ctx, j.name, line); err != nil {
			return err
		}
		j.added(f, line)
		return c.Close()
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if j.crowded() || f.Policy != "" && j.differs(f) {
		j.note(f)
		return p.rewrite(ctx, c, j)
	}
	if _, err = c.Append(ctx, j.size, line); err == nil {
		j.added(f, line)
	}
	return err
}

// added adds a line that was just written.
func (j *journal) added(f Facts, line []byte) {
	j.size += int64(len(line))
	j.note(f)
}

// crowded reports whether most lines of the journal are outdated.
func (j *journal) crowded() bool { return j.lines > 2*(len(j.facts)+len(j.replaced))+manyLines }

// differs reports whether the journal describes a copy differently from f, which
// is redacted.
func (j *journal) differs(f Facts) bool {
	known, ok := j.facts[f.Session]
	return ok && known.Generation == f.Generation && known.description() != f.description()
}

// rewrite replaces the log of a journal with its current lines. If it fails,
// the journal must be read again.
func (t *Team) rewrite(ctx context.Context, c content, j *journal) error {
	delete(t.journals, j.name)
	var out []byte
	for _, all := range []iter.Seq[Facts]{maps.Values(j.replaced), maps.Values(j.facts)} {
		for f := range all {
			line, err := json.Marshal(f)
			if err != nil {
				return err
			}
			out = append(append(out, line...), '\n')
		}
	}
	replacement, err := t.replace(ctx, c, j, out)
	if err != nil {
		return err
	}
	return replacement.Close()
}

// forget deletes the records of copies from a journal.
func (t *Team) forget(ctx context.Context, j *journal, gone []Replica) error {
	for range 100 { // the machine may write to it concurrently
		known := false
		for _, r := range gone {
			if j.facts[r.Session].Generation == r.Generation {
				known = true
				delete(j.facts, r.Session)
			}
			if _, ok := j.replaced[generation{r.Session, r.Generation}]; ok {
				known = true
				delete(j.replaced, generation{r.Session, r.Generation})
			}
		}
		if !known {
			return nil
		}
		delete(t.journals, j.name) // until written, it differs from the store
		c, err := t.open(ctx, j.name)
		if err != nil {
			return err
		}
		err = t.rewrite(ctx, c, j)
		c.Close()
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) {
			return err
		}
		if j, err = t.journal(ctx, gone[0].owner(), gone[0].mark()); err != nil {
			return err
		}
	}
	return store.ErrConflict
}

// Facts returns the facts that a replica's machine recorded, as of the first
// call. They are not trustworthy.
func (t *Team) Facts(ctx context.Context, r Replica) (Facts, error) {
	j, err := t.journalOf(ctx, r, r.mark())
	if err != nil {
		return Facts{}, err
	}
	return j.of(r), nil
}

// journalOf returns a journal of a replica's machine, as of the first call.
func (t *Team) journalOf(ctx context.Context, r Replica, mark string) (*journal, error) {
	if j, known := t.journals["/"+r.Person+"/"+r.Machine+"/"+journalName+mark]; known {
		return j, nil
	}
	return t.journal(ctx, r.owner(), mark)
}
