package replica

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// A Choice says what becomes of entries that another person wrote into a session of
// this person.
type Choice int

const (
	Fork  Choice = iota // they become a session of their own, beside this one
	Merge               // they are added to the session, whose position stays
	Skip                // they are left out, and asked for again
)

// errSkipped says that a question was answered with Skip.
var errSkipped = errors.New("the entries were left out")

// foreign reports whether the replica is of another person than the file: than the one
// it was pulled from, or else than this one.
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
