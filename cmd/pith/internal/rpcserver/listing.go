package rpcserver

import (
	"context"
	"iter"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/sessiondir"
)

// listMethods look for sessions. They read files, not open sessions.
func listMethods() []*method {
	return []*method{
		beside("list", "cwd, sessionDir?, text?", listProject),
		beside("listAll", "sessionDir?, text?", listAll),
		beside("resolve", "reference, cwd?, sessionDir?", resolve),
	}
}

func listProject(ctx context.Context, c *call) ([]byte, error) {
	cwd, o := c.text("cwd"), c.listOptions()
	if c.bad != nil {
		return nil, c.bad
	}
	return c.infoList(catalog.List(ctx, sessiondir.ExpandPath(cwd, ""), o), &o)
}

func listAll(ctx context.Context, c *call) ([]byte, error) {
	o := c.listOptions()
	if c.bad != nil {
		return nil, c.bad
	}
	return c.infoList(catalog.ListAll(ctx, o), &o)
}

// resolve finds the one session that a person means: by path, id, prefix of an
// id, name, or @ for the newest of the project.
func resolve(ctx context.Context, c *call) ([]byte, error) {
	ref, cwd, o := c.nonEmpty("reference"), c.optText("cwd"), c.catalogOptions()
	if c.bad != nil {
		return nil, c.bad
	}
	found, err := catalog.Resolve(ctx, ref, sessiondir.ExpandPath(cwd, ""), o)
	if err != nil {
		return nil, err
	}
	info, err := catalog.Facts(ctx, catalog.Ref{Path: found.Path}, catalog.Options{Text: true}) // the search read no texts
	if err != nil {
		return nil, err
	}
	answer := sessionInfo(&info)
	answer.text("allMessagesText", info.Text)
	answer.mark(c.marks()(info.ID))
	c.whose(answer, info.Path)
	return answer.end(), nil
}

// catalogOptions reads where to look.
func (c *call) catalogOptions() catalog.Options {
	o := catalog.Options{Dir: c.server.opt.Dir, Index: c.server.index()}
	if dir := c.optText("sessionDir"); dir != "" {
		o.Dir = sessiondir.ExpandPath(dir, "")
	}
	return o
}

// listOptions are those of a listing, which tells its client how far it is and
// what it could not read. The texts of all messages are part of pi's lists; they
// are not in the index, so that a client that needs none gets its list sooner.
func (c *call) listOptions() catalog.Options {
	o := c.catalogOptions()
	wanted := c.optFlag("text")
	o.Text = wanted == nil || *wanted
	if c.request.id != nil {
		w := &watcher{out: c.server.out, request: c.request.id}
		o.Progress, o.Skipped = w.progress, w.skipped
	}
	return o
}

// infoList is a list as pi has it: marks change neither its order nor what is in it.
func (c *call) infoList(infos iter.Seq2[catalog.Info, error], o *catalog.Options) ([]byte, error) {
	sorted, err := catalog.Sorted(infos)
	if err != nil {
		return nil, err
	}
	marks := c.marks()
	var l list
	for i := range sorted {
		info := sessionInfo(&sorted[i])
		if o.Text {
			info.text("allMessagesText", sorted[i].Text)
		}
		info.mark(marks(sorted[i].ID))
		c.whose(info, sorted[i].Path)
		l.add(info.end())
	}
	return l.end(), nil
}

// sessionInfo is a session as pi's lists describe it, but for its texts.
func sessionInfo(i *catalog.Info) *object {
	var o object
	o.text("path", i.Path)
	o.text("id", i.ID)
	o.text("cwd", i.Cwd)
	o.known("root", i.Root)
	o.known("name", i.Name)
	o.known("parentSessionPath", i.ParentSession)
	o.text("created", format.FormatTime(i.Created))
	o.text("modified", format.FormatTime(i.Modified))
	o.number("messageCount", int64(i.MessageCount))
	o.text("firstMessage", i.FirstMessage)
	return &o
}

// marks are what is kept about sessions at this moment.
func (c *call) marks() func(id string) marks.Marks {
	if read := c.server.opt.Marks; read != nil {
		return read()
	}
	return func(string) marks.Marks { return marks.Marks{} }
}

// mark adds what is kept about a session, with the names of pith ls --json.
func (o *object) mark(m marks.Marks) {
	o.flag("pinned", m.Pinned)
	o.flag("archived", m.Archived)
	o.raw("tags", texts(m.Tags))
}

// whose adds the person and the machines of a team's session, with the names of pith ls
// --json.
func (c *call) whose(o *object, path string) {
	if c.server.opt.Whose == nil {
		return
	}
	if person, machines := c.server.opt.Whose(path); person != "" {
		o.text("person", person)
		o.raw("machines", texts(machines))
	}
}

// A watcher sends notifications about one listing.
type watcher struct {
	out     *lineWriter
	request []byte // raw id of the request
	sent    int    // what was last told, in percent and 1 more
}

// progress tells how far the listing is: at each whole percent, and not for each
// of thousands of files.
func (w *watcher) progress(done, total int) {
	percent := 101
	if total > 0 {
		percent = done*100/total + 1
	}
	if percent <= w.sent {
		return
	}
	w.sent = percent
	var o object
	o.raw("request", w.request)
	o.number("done", int64(done))
	o.number("total", int64(total))
	w.out.send(&notification{"progress", o.end()})
}

// skipped reports a file or folder that could not be read.
func (w *watcher) skipped(path string, err error) {
	var o object
	o.raw("request", w.request)
	o.text("path", path)
	o.text("error", err.Error())
	w.out.send(&notification{"skipped", o.end()})
}
