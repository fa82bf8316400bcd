package catalog

import (
	"context"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/format"
)

// NoMessages is the first message of a session without messages.
const NoMessages = "(no messages)"

// Info contains the facts of one session in a list.
type Info struct {
	Path string `json:"path"`
	ID   string `json:"id"`
	// Name is the display name: the last one given, in file order, or "" if
	// there is none or it was cleared. A title of oh-my-pi, in the file or in
	// its database, is used if no name was ever given.
	Name string `json:"name" empty:"null"`
	// Cwd is the working directory, or "" if the header has none.
	Cwd string `json:"cwd"`
	// ParentSession is the session that this one was made from, as in the
	// header: a path, or an id in files of oh-my-pi. It may not exist.
	ParentSession string `json:"parentSessionPath" empty:"null"`
	// Created is the time in the header. If that is not a valid date, it is the
	// time of the file.
	Created time.Time `json:"created"`
	// Modified is the time of the last user or assistant message. Without such
	// a message it is the time in the header, or if that is not a valid date,
	// the time of the file.
	Modified time.Time `json:"modified"`
	// MessageCount is the number of message entries of every role on every
	// branch.
	MessageCount int `json:"messageCount"`
	// FirstMessage is the first user text, or else the first text of the
	// assistant or a developer, or else NoMessages. It is cut to 1,001
	// characters, or to 8 MiB in a list with texts.
	FirstMessage string `json:"firstMessage"`
	// Text contains the user and assistant texts of all branches, joined by
	// spaces. It is filled on request.
	Text string
	// Size is the number of bytes from which the facts were taken.
	Size int64 `json:"size"`
	// Version is the version of the format: 1 to 3, or higher for a file that
	// pith does not write.
	Version int `json:"version"`
	// Root is the name of the root under which the file was found, or "" for a
	// file given by its path.
	Root string `json:"source"`
	// Internal marks a session that a program made for its own use.
	Internal bool `json:"internal"`
	// Archived marks a session of another agent that is archived there.
	Archived bool
	// Entries is the number of lines that are entries, of known types or not.
	Entries int `json:"entries"`
	// Findings is the number of lines that are damaged or not entries. See
	// pith.Session.Findings for details.
	Findings int `json:"findings"`
	// Model is the model used last, as provider/model.
	Model string `json:"model" empty:"null"`
	// Status states how the conversation on the active path ended.
	Status Status `json:"status"`
	// Branches is the number of entries without children, by file order.
	Branches int `json:"branches"`
	// Spent is what the models consumed on all branches, according to
	// responses, summaries, tools and accounting entries. Responses that a fork
	// copied from its parent count in both. Unknown costs are estimated.
	Spent format.Spent
	// Responses contains the responses of models in the session, for package cost,
	// and Touched the files that its tools read and changed. Both are nil unless
	// they were requested.
	Responses, Touched any
	// FileTime is the modification time of the file.
	FileTime time.Time
	// Inode is the file's number in its file system, or zero if it is unknown.
	Inode Inode
}

// An Inode identifies a file in its file system. It stays the same when the
// file is renamed.
type Inode struct{ Device, Number uint64 }

// Facts reads the facts of the session that a reference names. The error is a
// *pith.FileError; it matches pith.ErrNotSession for a file that is not a
// session. Of the options, Text, Responses, Touched and Index are used. The file is
// only read.
func Facts(ctx context.Context, ref Ref, o Options) (Info, error) {
	return o.readInfo(ctx, ref.Path, ref.Root)
}

// readInfo reads the facts of a session file that was found under a root.
func (o *Options) readInfo(ctx context.Context, path, root string) (Info, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	f, err := fileOn(path, root)
	if err != nil {
		return Info{}, err
	}
	q := query{internal: true, text: o.Text, spent: o.Responses, touched: o.Touched}
	was := o.Index.row(ctx, &q, &f)
	if was != nil && was.path == path && was.isOf(&f) && was.suffices(&q) {
		out := was.answer(&f, &q, &facts{})
		return out.info, atPath(path, out.err)
	}
	var r reader
	out := r.lookup(ctx, f, q, o, func(context.Context, *file) *row { return was })
	if out.kept != nil {
		o.Index.store(ctx, []*row{out.kept}, nil)
	}
	return out.info, out.err
}

func atPath(path string, err error) error {
	if err == nil {
		return nil
	}
	return readError("read", path, err)
}

// Again returns the sessions of a list with what the options request of them, and
// leaves out those that are gone. Of the options, Responses, Touched, Index,
// Progress and Skipped are used.
func Again(ctx context.Context, infos []Info, o Options) []Info {
	return o.readAgain(ctx, infos)
}
