package replica

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// A Choice determines how to handle entries that another person wrote into a
// session of this person.
type Choice int

const (
	Fork  Choice = iota // put them into a separate session
	Merge               // add them to the session, whose leaf stays
	Skip                // ignore them and ask again next time
)

// errSkipped means that the choice was Skip.
var errSkipped = errors.New("the entries were left out")

// foreign reports whether the replica belongs to another person than the file:
// the person it was pulled from, or else this one.
func (p *pulling) foreign(path string) bool {
	return p.replica.Person != cmp.Or(p.Memory.Origins[path], p.Person)
}

// ask lets [PullOptions] decide about entries that another person wrote.
func (p *pulling) ask(ctx context.Context, file *localFile, have int64) error {
	theirs, err := readLines(ctx, io.NewSectionReader(p.remote, 0, p.size))
	if err != nil {
		return err
	}
	ours, err := file.read(ctx, have)
	if err != nil {
		return err
	}
	missing, clash := union(ours, theirs)
	if clash == nil && len(missing) == 0 {
		return nil
	}
	choice := Fork
	if _, err := os.Lstat(forkPath(p.replica, file.path)); clash == nil && p.o.Ask != nil && errors.Is(err, fs.ErrNotExist) {
		if choice, err = p.o.Ask(p.replica, len(missing)); err != nil {
			return err
		}
	}
	switch choice {
	case Merge:
		_, err = p.merge(ctx, file, have, theirs)
		return err
	case Skip:
		return errSkipped
	}
	return p.fork(ctx, theirs, file.path)
}
