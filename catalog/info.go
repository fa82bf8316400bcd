package catalog

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// NoMessages stands for the first message of a session that has none.
const NoMessages = "(no messages)"

// Info is what a list says about one session.
type Info struct {
	Path string
	ID   string
	// Cwd is the working directory; "" when the header does not say.
	Cwd string
	// Name is the display name: the last one given, in file order; "" when there
	// is none or it was cleared. A title of oh-my-pi counts where no name was
	// ever given.
	Name string
	// ParentSession is the session that this one was made from, as the header
	// has it: a path, in files of oh-my-pi an id. It may be gone.
	ParentSession string
	// Created is the header's time. Where that is no date it is the file's.
	Created time.Time
	// Modified is when the user or the assistant last said something; before
	// they did, the header's time; where that is no date, the file's.
	Modified time.Time
	// MessageCount counts the message entries of every role on every branch.
	MessageCount int
	// FirstMessage is the text of the first message of the user that has text,
	// else of the assistant or a developer, else NoMessages. Only its first
	// 1,001 characters are kept, or 8 MiB in a list with texts.
	FirstMessage string
	// Text is what user and assistant said, joined by spaces, on all branches. It
	// is filled on request.
	Text string
	// Size is how many bytes the facts were taken from.
	Size int64
	// Version of the format: 1 to 3, or above for a file that pith does not write.
	Version int
	// Root is the name of the root under which the file was found; "" for a file
	// that was named by its path.
	Root string
	// Internal marks a session that a machinery made for itself.
	Internal bool
	// Entries counts the lines that are entries, known or not.
	Entries int
	// Findings counts the lines that are damaged or no entries. What is wrong
	// with them is told by pith.Session.Findings.
	Findings int
	// Model is the model used last, as provider/model.
	Model string
	// Status says how the conversation on the active path ended.
	Status Status
	// Branches counts the entries that nothing follows, as file order has them.
	Branches int
	// Spent is what the models took, on all branches, as answers, summaries, tools
	// and accounting entries tell. What a fork copied from its parent counts in both.
	Spent format.Spent
	// FileTime is when the file was last written, by whomever and for whatever.
	FileTime time.Time
	// Inode is the file's number in its file system; zero where none is known.
	Inode Inode
}

// An Inode is a file's number in its file system, which stays when the file is
// renamed.
type Inode struct{ Device, Number uint64 }

// Facts reads the facts of the session that a reference names. The error is a
// *pith.FileError and matches pith.ErrNotSession for a file that is no session. Of
// the options, Text and Index count. The file is not changed.
func Facts(ctx context.Context, ref Ref, o Options) (Info, error) {
	return o.readInfo(ctx, ref.Path, ref.Root)
}

// readInfo reads the facts of the session in a file that was found under a root.
func (o *Options) readInfo(ctx context.Context, path, root string) (Info, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	stat, err := os.Stat(path)
	if err != nil {
		return Info{}, readError("open", path, err)
	}
	if !stat.Mode().IsRegular() {
		// Opening it could block for ever.
		return Info{}, &pith.FileError{Op: "open", Path: path, Err: errNotFile}
	}
	f, q := fileOf(path, root, stat), query{internal: true, text: o.Text}
	if o.Index != nil {
		o.Index.load(ctx)
		if r := o.Index.known(&f, &q); r != nil {
			out := r.answer(&f, &q, &facts{})
			return out.info, atPath(path, out.err)
		}
	}
	var r reader
	out := r.lookup(ctx, f, q, o)
	if out.kept != nil {
		o.Index.keep(ctx, []keeping{*out.kept}, nil)
	}
	return out.info, out.err
}

// atPath adds the file to what the index says about it.
func atPath(path string, err error) error {
	if err == nil {
		return nil
	}
	return readError("read", path, err)
}
