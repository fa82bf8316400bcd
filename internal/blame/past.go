package blame

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/edits"
)

// A Changed file is one that a session changed.
type Changed struct {
	Path string // absolute
	// Name is the path from the root of the project; the absolute one outside of it.
	Name string `json:"file"`
	// Outside says that the file is not in the project. It is never read.
	Outside bool            `json:"outside"`
	Changes []SessionChange `json:"changes"` // in the order of the session file
}

// A SessionChange is one edit of a file in a session.
type SessionChange struct {
	EntryID  string     `json:"entryId" empty:"null"` // of the call
	ResultID string     // of its result
	Time     time.Time  `json:"time"`
	Tool     string     `json:"tool"`
	Kind     edits.Kind `json:"kind"`
	From     string     `json:"from" empty:"null"` // former name of a renamed file
	Turn
}

// A Past is what a session did to files, and what the files were at its entries.
type Past struct {
	o       Options
	session int
	view    *pith.View
	root    string
	files   []Changed
	all     *collection // nil before it is needed
}

// OpenPast reads the edits of an open session, which is Sessions[session].
func OpenPast(ctx context.Context, s *pith.Session, session int, o Options) (*Past, error) {
	p := &Past{o: o, session: session, view: s.View()}
	one := o
	one.Sessions = o.Sessions[session : session+1]
	places := newPlaces(&one)
	p.root = places.dir(0)
	if tree, ok := checkoutOf(ctx, p.root); ok {
		p.root = tree.root
	}
	var changes []edits.Touch
	r := o.touched(ctx, one.Sessions)[0]
	places.learn(0, r.Paths())
	for _, t := range r {
		if !t.Reads {
			changes = append(changes, t)
		}
	}
	events, err := edits.Decode(ctx, one.Sessions[0].Path, changes)
	if err != nil {
		return nil, err
	}
	p.list(events, places)
	return p, nil
}

// list groups events by file.
func (p *Past) list(events []edits.Event, places *places) {
	active := Active(p.view)
	at := map[string]int{}
	turns := map[string]Turn{}
	for i := range events {
		e := &events[i]
		if e.Kind == edits.Read {
			continue
		}
		c := SessionChange{EntryID: e.EntryID, ResultID: e.ResultID, Time: e.Time, Tool: e.Tool, Kind: e.Kind}
		path := places.resolve(0, e.Path)
		if e.Kind == edits.Move {
			c.From = p.name(path)
			path = places.resolve(0, e.To)
		}
		turn, ok := turns[e.EntryID]
		if !ok {
			turn = TurnOf(p.view, active, e.EntryID)
			turns[e.EntryID] = turn
		}
		c.Turn = turn
		k, ok := at[path]
		if !ok {
			k = len(p.files)
			at[path] = k
			_, inside := within(p.root, path)
			p.files = append(p.files, Changed{Path: path, Name: p.name(path), Outside: !inside})
		}
		p.files[k].Changes = append(p.files[k].Changes, c)
	}
	slices.SortStableFunc(p.files, func(a, b Changed) int { return cmp.Compare(a.Name, b.Name) })
}

// name returns a path from the root of the project.
func (p *Past) name(path string) string {
	if rel, ok := within(p.root, path); ok {
		return filepath.ToSlash(rel)
	}
	return path
}

// Root returns the directory of the project.
func (p *Past) Root() string { return p.root }

// Files returns the files that the session changed, by name.
func (p *Past) Files() []Changed { return p.files }

// Find returns the file with a name, as Files has it or as a path from a directory.
func (p *Past) Find(name, dir string) (*Changed, bool) {
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(dir, name)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(real, filepath.Base(full))
	}
	for i := range p.files {
		if f := &p.files[i]; f.Name == filepath.ToSlash(name) || f.Path == full {
			return f, true
		}
	}
	return nil, false
}

// A Content is a file at one time.
type Content struct {
	Text   string
	Exists bool
}

// Errors that say why a file's content is not known.
var (
	ErrNotRecorded = errors.New("is not recorded at that time")
	ErrOutside     = errors.New("is outside the project")
)

// Now reads a file as it is.
func (p *Past) Now(f *Changed) (Content, error) {
	if f.Outside {
		return Content{}, &FileError{Path: f.Path, Err: ErrOutside}
	}
	root, err := os.OpenRoot(p.root)
	if errors.Is(err, fs.ErrNotExist) {
		return Content{}, nil
	}
	if err != nil {
		return Content{}, &FileError{Path: f.Path, Err: cause(err)}
	}
	defer root.Close()
	text, err := readFile(root, filepath.FromSlash(f.Name), f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return Content{}, nil
	}
	return Content{text, err == nil}, err
}

// ChangedAfter returns the files that the session changed after an entry, by name.
func (p *Past) ChangedAfter(entryID string) ([]Changed, error) {
	pos, err := p.view.Find(entryID)
	if err != nil {
		return nil, err
	}
	var out []Changed
	for i := range p.files {
		if slices.ContainsFunc(p.files[i].Changes, func(c SessionChange) bool {
			at, err := p.view.Find(c.ResultID)
			return err == nil && at > pos
		}) {
			out = append(out, p.files[i])
		}
	}
	return out, nil
}

// At returns a file as it was at an entry of the session, after the edits that the
// records put before it, of any session. The error matches ErrNotRecorded where they do
// not suffice.
func (p *Past) At(ctx context.Context, f *Changed, entryID string) (Content, error) {
	s, err := p.Compare(ctx, f, entryID)
	return s.Then, err
}

// A Standing is a file now and at an earlier time.
type Standing struct {
	Now, Then Content
	// Unrecorded says that the file is not what the records make of it: something else
	// changed it.
	Unrecorded bool
	// Others are the other sessions that changed the file since then.
	Others []catalog.Info
}

// Compare is like At and also tells what happened to the file since.
func (p *Past) Compare(ctx context.Context, f *Changed, entryID string) (Standing, error) {
	now, err := p.Now(f)
	if err != nil {
		return Standing{}, err
	}
	pos, err := p.view.Find(entryID)
	if err != nil {
		return Standing{Now: now}, err
	}
	renamedBefore := func(string) []rename { return nil }
	if p.all == nil {
		if p.all, err = collect(ctx, &p.o); err != nil {
			return Standing{Now: now}, err
		}
	}
	h, err := p.all.history(ctx, f.Path, nil, renamedBefore)
	if err != nil {
		return Standing{Now: now}, err
	}
	cut := p.cut(h, pos)
	end, exists, known := p.forward(ctx, h, len(h.events))
	if known && exists && now.Exists && end != "" && normal(now.Text) == end+"\n" {
		end += "\n" // some programs leave the last line end out
	}
	s := Standing{Now: now, Unrecorded: !known || exists != now.Exists || exists && end != normal(now.Text)}
	text, exists, ok := p.forward(ctx, h, cut)
	if !ok {
		var from int
		text, exists, from, ok = p.backward(ctx, h, cut, now)
		if ok && from == len(h.events) { // all that happened since was found in the file and undone
			s.Unrecorded = false
		}
	}
	if err := ctx.Err(); err != nil {
		return Standing{Now: now}, err
	}
	if !ok {
		return Standing{Now: now}, &FileError{Path: f.Path, Err: ErrNotRecorded}
	}
	s.Then = Content{likeIn(text, now.Text), exists}
	for _, e := range h.events[cut:] {
		if e.Session < 0 || e.Session == p.session || e.Kind == edits.Read {
			continue
		}
		if i := p.o.Sessions[e.Session]; !slices.ContainsFunc(s.Others, func(o catalog.Info) bool { return o.Path == i.Path }) {
			s.Others = append(s.Others, i)
		}
	}
	return s, nil
}

// cut returns the number of events before an entry. Events of the same session are
// compared by their places, others by their times.
func (p *Past) cut(h *history, pos int) int {
	at := p.view.At(pos).Time
	n := 0
	for i := range h.events {
		e := &h.events[i]
		before := !e.Time.After(at)
		if e.Session == p.session {
			if k, err := p.view.Find(e.ResultID); err == nil {
				before = k <= pos
			}
		}
		if !before {
			break
		}
		n++
	}
	return n
}

// forward replays the events before a cut.
func (p *Past) forward(ctx context.Context, h *history, cut int) (text string, exists, ok bool) {
	r := &replay{h, map[string]*state{}}
	for i := range cut {
		if r.step(ctx, i) != nil {
			return "", false, false
		}
	}
	s := r.stateOf(h.file)
	return s.text, !s.gone, s.known && !s.torn
}

// backward undoes the events after a cut, from the first content after it that is known:
// one that a session records, or, if from is the number of events, the file as it is.
func (p *Past) backward(ctx context.Context, h *history, cut int, now Content) (text string, exists bool, from int, ok bool) {
	from = len(h.events)
	text, exists = normal(now.Text), now.Exists
	for i := cut; i < len(h.events); i++ {
		e := &h.events[i]
		if h.paths[i] != h.file {
			return "", false, from, false // a rename
		}
		if e.HasBefore || e.Kind == edits.Read || e.Kind == edits.Write && (e.New || p.created(ctx, h, i)) {
			from, text, exists = i, normal(e.Before), true
			switch {
			case e.Kind == edits.Read:
				text = normal(e.Content)
			case !e.HasBefore:
				exists = false
			}
			break
		}
	}
	for i := from - 1; i >= cut; i-- {
		e := &h.events[i]
		if e.Kind != edits.Replace || !exists {
			return "", false, from, false
		}
		if text, ok = undo(text, &e.Change); !ok {
			return "", false, from, false
		}
	}
	return text, exists, from, true
}

// created reports whether the first recorded write of a file made it: the commit before
// it does not have the file.
func (p *Past) created(ctx context.Context, h *history, i int) bool {
	rel, in := within(p.root, h.file)
	if i > 0 || !in {
		return false
	}
	out, err := git(ctx, p.root, "rev-list", "-1", "--before="+h.events[i].Time.UTC().Format(time.RFC3339), "HEAD")
	if err != nil { // no commit yet, or no repository
		_, inGit := checkoutOf(ctx, p.root)
		return inGit
	}
	if rev := strings.TrimSpace(string(out)); rev != "" {
		out, err = git(ctx, p.root, "ls-tree", "--name-only", rev, "--", rel)
		return err == nil && len(bytes.TrimSpace(out)) == 0
	}
	return true // before the first commit
}

// undo reverts the replacements of an edit. Each must be found in one place.
func undo(text string, c *edits.Change) (string, bool) {
	if len(c.Swaps) > 0 {
		back := edits.Change{InSequence: true}
		for _, w := range slices.Backward(c.Swaps) {
			if w.New == "" || w.All {
				back.Swaps = nil
				break
			}
			back.Swaps = append(back.Swaps, edits.Swap{Old: w.New, New: w.Old})
		}
		s := state{known: true, text: text, by: make([]int32, len(split(text)))}
		if len(back.Swaps) > 0 && s.swap(&back, none) {
			return s.text, true
		}
	}
	if len(c.Hunks) == 0 {
		return "", false
	}
	back := edits.Change{}
	shift := 0
	for _, h := range c.Hunks {
		r := edits.Hunk{Old: h.New, New: h.Old}
		if h.Line > 0 {
			r.Line = h.Line + shift
		}
		shift += len(h.New) - len(h.Old)
		back.Hunks = append(back.Hunks, r)
	}
	s := state{known: true, text: text, by: make([]int32, len(split(text)))}
	ok := s.replace(&back, none)
	return s.text, ok
}

// likeIn gives a text the line ends and the byte order mark of another one.
func likeIn(text, other string) string {
	if n := strings.Count(other, "\n"); n > 0 && n == strings.Count(other, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.HasPrefix(other, "\ufeff") && text != "" {
		text = "\ufeff" + text
	}
	return text
}
