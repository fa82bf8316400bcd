package past

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/recall"
)

// A Page is a part of a list.
type Page struct{ Offset, Limit int }

// Found is the result of Search: memories, or sessions for a query without words.
type Found struct {
	recall.Answer
	Chosen *Chosen
}

// Search finds the turns that a query is about, best first and one of each session, or
// with a reference to a session all matches in it.
func (p *Past) Search(ctx context.Context, l *Library, text, one string, page Page) (*Found, error) {
	q, err := p.query(text)
	if err == nil && q.IsZero() {
		err = query.ErrEmpty
	}
	if err != nil {
		return nil, err
	}
	if !q.Finds() && one == "" {
		chosen, err := p.choose(ctx, l, q, page)
		return &Found{Chosen: chosen}, err
	}
	o := p.recalling(ctx, l, page)
	if one != "" {
		info, _, err := l.find(one)
		if err != nil {
			return nil, err
		}
		o.Entries, o.Search.Paths = true, []string{info.Path}
		o.Except = nil
	}
	f := &Found{}
	err = p.settle(ctx, func() (paths []string, err error) {
		f.Answer, err = recall.Ask(ctx, q, o)
		for i := range f.Memories {
			paths = append(paths, f.Memories[i].Session.Path)
		}
		return paths, err
	})
	if err == nil && f.Unindexed > 0 {
		p.fill()
	}
	return f, err
}

// settle asks until the secrets of all that is found are known, so that the answer is
// decided on text without them.
func (p *Past) settle(ctx context.Context, ask func() (paths []string, err error)) error {
	for {
		paths, err := ask()
		if err != nil {
			return err
		}
		if more, err := p.learn(ctx, paths); err != nil || !more {
			return err
		}
	}
}

// Chosen are sessions that a query chooses, newest first.
type Chosen struct {
	Sessions []catalog.Info // of the page
	Total    int
}

// Sessions lists the sessions that a query chooses, without the calling one.
func (p *Past) Sessions(ctx context.Context, l *Library, text string, page Page) (*Chosen, error) {
	q, err := p.query(text)
	if err != nil {
		return nil, err
	}
	return p.choose(ctx, l, q, page)
}

func (p *Past) choose(ctx context.Context, l *Library, q query.Query, page Page) (*Chosen, error) {
	left, c := p.asking(ctx, l), &Chosen{}
	_, reads := q.OfEntries()
	err := p.settle(ctx, func() (paths []string, err error) {
		list, err := search.Sessions(ctx, q, p.recalling(ctx, l, page).Search)
		list = slices.DeleteFunc(list, func(i catalog.Info) bool { return slices.Contains(left, i.ID) })
		c.Total = len(list)
		list = list[min(page.Offset, len(list)):]
		c.Sessions = list[:min(page.Limit, len(list))]
		for i := range c.Sessions {
			if reads {
				paths = append(paths, c.Sessions[i].Path)
			}
		}
		return paths, err
	})
	return c, err
}

func (p *Past) query(text string) (query.Query, error) {
	return query.Parse(text, query.Env{Now: p.app.Now(), Cwd: p.opt.Project, Catalog: p.app.Listing()})
}

// Files finds the turns that called tools with a file, newest first.
func (p *Past) Files(ctx context.Context, l *Library, path string, page Page) (t recall.Touches, err error) {
	o := p.recalling(ctx, l, page)
	err = p.settle(ctx, func() (paths []string, err error) {
		t, err = recall.Touched(ctx, path, l.projectOf(path), o)
		for i := range t.List {
			paths = append(paths, t.List[i].Session.Path)
		}
		return paths, err
	})
	if err == nil && t.Unindexed > 0 {
		p.fill()
	}
	return t, err
}

// recalling returns the options that all questions share.
func (p *Past) recalling(ctx context.Context, l *Library, page Page) recall.Options {
	return recall.Options{
		Search:   search.Options{Catalog: p.app.Listing(), Cwd: p.opt.Project, Sessions: l.Infos, Session: p.session(), Index: p.words(), Veil: p.guard.veil()},
		Families: l.families, Except: p.asking(ctx, l), Offset: page.Offset, Limit: page.Limit,
	}
}

// session returns a function that makes a session, with the user's marks, what filters
// look at.
func (p *Past) session() func(*catalog.Info) query.Session {
	of, _ := p.app.MarksOf() // without marks, nothing is archived or tagged
	return func(i *catalog.Info) query.Session {
		seen, m := *i, of(i.ID)
		seen.FirstMessage = p.guard.firstMessage(i)
		return query.Session{Info: &seen, Tags: m.Tags, Archived: m.Archived}
	}
}

// A Blame is the origin of the lines of a file.
type Blame struct {
	*blame.Report
	Runs []Run
}

// A Run is lines that follow each other and that one edit wrote.
type Run struct {
	First, Last int         // line numbers
	Edit        *blame.Edit // nil if no known session wrote them
	Asking      bool        // the calling session wrote them
}

// Blame finds the sessions that wrote the lines of a file in a project that can be seen.
func (p *Past) Blame(ctx context.Context, l *Library, path string) (*Blame, error) {
	file, ok := l.file(path)
	if !ok {
		return nil, Usagef("no file %q in the visible projects; use an absolute path, or one relative to a project", Short(path, 100))
	}
	r, err := blame.File(ctx, file, blame.Options{Sessions: l.Infos, Index: p.app.Listing().Index})
	switch f := (*blame.FileError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Usagef("no such file: %q", Short(path, 100))
	case errors.As(err, &f):
		return nil, Usagef("the file %s", f.Err)
	case err != nil:
		return nil, err
	}
	out, asking := &Blame{Report: r}, p.asking(ctx, l)
	last := -2 // the edit of the last run
	for i, line := range r.Lines {
		if line.Edit == last {
			out.Runs[len(out.Runs)-1].Last = i + 1
			continue
		}
		run := Run{First: i + 1, Last: i + 1}
		if last = line.Edit; last >= 0 {
			run.Edit = &r.Edits[last]
			run.Asking = slices.Contains(asking, run.Edit.Session.ID)
		}
		out.Runs = append(out.Runs, run)
	}
	return out, nil
}

// file finds a file in the projects of the sessions that can be seen.
func (l *Library) file(path string) (string, bool) {
	seen := map[string]bool{}
	for i := range l.Infos {
		dir := l.Infos[i].Cwd
		if seen[dir] || !filepath.IsAbs(dir) {
			continue
		}
		seen[dir] = true
		full := filepath.Clean(path)
		if !filepath.IsAbs(path) {
			full = filepath.Join(dir, path)
		}
		if !strings.HasPrefix(full, strings.TrimRight(dir, string(filepath.Separator))+string(filepath.Separator)) {
			continue
		}
		if _, err := os.Lstat(full); err == nil {
			return full, true
		}
	}
	return "", false
}
