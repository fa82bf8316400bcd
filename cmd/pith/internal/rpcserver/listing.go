package rpcserver

import (
	"context"
	"iter"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/sessiondir"
)

// listMethods returns the methods that find sessions. They read files, not open
// sessions.
func listMethods() []*method {
	return []*method{
		background("list", "cwd, sessionDir?, text:flag?, query?", listProject),
		background("listAll", "sessionDir?, text:flag?, query?", listAll),
		background("resolve", "reference:name, cwd?, sessionDir?", resolve),
	}
}

func listProject(ctx context.Context, c *call) ([]byte, error) {
	cwd, o := c.text("cwd"), c.listOptions()
	return c.infoList(ctx, catalog.List(ctx, sessiondir.ExpandPath(cwd, ""), o), &o)
}

func listAll(ctx context.Context, c *call) ([]byte, error) {
	o := c.listOptions()
	return c.infoList(ctx, catalog.ListAll(ctx, o), &o)
}

// resolve finds the session that a reference names: by path, ID, ID prefix or
// name, or @ for the newest of the project.
func resolve(ctx context.Context, c *call) ([]byte, error) {
	ref, cwd, o := c.text("reference"), c.text("cwd"), c.catalogOptions()
	found, err := catalog.Resolve(ctx, ref, sessiondir.ExpandPath(cwd, ""), o)
	if err != nil {
		return nil, err
	}
	info, err := catalog.Facts(ctx, catalog.Ref{Path: found.Path}, catalog.Options{Text: true}) // Resolve reads no texts
	if err != nil {
		return nil, err
	}
	row := c.rows([]catalog.Info{info}).Row(&info)
	row.AllMessagesText = new(view.Text(info.Text))
	return view.Marshal(row)
}

// catalogOptions reads the location of sessions from the parameters.
func (c *call) catalogOptions() catalog.Options {
	o := catalog.Options{Dir: c.server.opt.Dir, Index: c.server.index()}
	if dir := c.text("sessionDir"); dir != "" {
		o.Dir = sessiondir.ExpandPath(dir, "")
	}
	return o
}

// listOptions returns the options of a listing that reports progress and
// skipped files to its client. pi's lists include the text of all messages. The
// index does not have it, so a client that does not need it gets its list
// sooner.
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

// infoList returns a list as pi does: marks change neither its order nor, without
// a query, its content.
func (c *call) infoList(ctx context.Context, infos iter.Seq2[catalog.Info, error], o *catalog.Options) ([]byte, error) {
	q, err := c.query("query", c.server.now().Location())
	if err != nil {
		return nil, err
	}
	sorted, err := catalog.Sorted(infos)
	if err != nil {
		return nil, err
	}
	if !q.IsZero() {
		in := c.searching()
		in.Sessions, in.Catalog = sorted, *o
		if sorted, err = search.Sessions(ctx, q, in); err != nil {
			return nil, err
		}
	}
	rows := c.rows(sorted)
	out := make([]view.Session, len(sorted))
	for i := range sorted {
		out[i] = rows.Row(&sorted[i])
		if o.Text {
			out[i].AllMessagesText = new(view.Text(sorted[i].Text))
		}
	}
	return view.Marshal(out)
}

// rows returns a maker of session rows with the current marks.
func (c *call) rows(infos []catalog.Info) *view.Rows {
	r := &view.Rows{Among: infos}
	if read := c.server.opt.Marks; read != nil {
		r.Marks = read()
	}
	return r
}

// A watcher sends notifications about one listing.
type watcher struct {
	out     *lineWriter
	request []byte // raw ID of the request
	sent    int    // the last progress reported, in percent plus 1
}

// progress reports the progress of the listing once per percent.
func (w *watcher) progress(done, total int) {
	percent := 101
	if total > 0 {
		percent = done*100/total + 1
	}
	if percent <= w.sent {
		return
	}
	w.sent = percent
	w.out.send(&question{method: "progress", params: object{}.Raw("request", w.request).Number("done", int64(done)).Number("total", int64(total))})
}

// skipped reports a file or directory that could not be read.
func (w *watcher) skipped(path string, err error) {
	w.out.send(&question{method: "skipped", params: object{}.Raw("request", w.request).Text("path", path).Text("error", err.Error())})
}
