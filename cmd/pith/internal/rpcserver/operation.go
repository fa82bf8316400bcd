package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
)

// operations returns the methods of the use cases that read files, not open sessions.
func operations() []*method {
	return []*method{
		operation("list", ops.List),
		operation("listAll", ops.ListAll),
		streaming(),
		operation("resolve", ops.Resolve),
		operation("search", ops.Search),
		operation("files", ops.Files),
		operation("usage", ops.Usage),
		operation("show", ops.Show),
		operation("subagents", ops.Subagents),
		operation("diff", ops.Diff),
		operation("doctor", ops.Examine),
		operation("export", ops.Export),
		operation("secrets", ops.Secrets),
		operation("getMarks", ops.MarksOfSession),
	}
}

// operation returns the method of a use case. Its parameters are those of P, and its
// result is encoded as the command encodes it.
func operation[P, R any](name string, do func(context.Context, *ops.App, P) (R, error)) *method {
	return newMethod(name, byItself, func(ctx context.Context, c *call, p *P) (any, error) {
		result, err := do(context.WithValue(ctx, callKey{}, c), c.app(), *p)
		if err != nil {
			return nil, err
		}
		if r, ok := any(result).(ops.Recorder); ok {
			return r.Record(), nil
		}
		return result, nil
	})
}

// callKey is the key of the call in the context of a use case.
type callKey struct{}

// streaming returns the method of [ops.Stream]: a notification for each session, then
// their number.
func streaming() *method {
	return operation("stream", func(ctx context.Context, a *ops.App, p ops.StreamParams) (any, error) {
		n := 0
		for s, err := range ops.Stream(ctx, a, p) {
			if err != nil {
				return nil, err
			}
			row, err := present.JSON(s)
			if err != nil {
				return nil, err
			}
			n++
			ctx.Value(callKey{}).(*call).notify("session", object{}.Raw("session", row))
		}
		return struct {
			Sessions int `json:"sessions"`
		}{n}, nil
	})
}

// app returns the App of a call, which reports to its client.
func (c *call) app() *ops.App {
	a := c.server.opt.App
	if c.request.id != nil {
		w := &watcher{call: c}
		a.Working, a.Skipped = w.working, w.skipped
	}
	return &a
}

// notify sends a notification about the request, unless it is one itself.
func (c *call) notify(method string, about object) {
	if c.request.id != nil {
		c.server.out.send(question("", method, object{}.Raw("request", c.request.id).Join(about)))
	}
}

// A watcher sends notifications about one request.
type watcher struct {
	call *call
	sent int // the last progress reported, in percent plus 1
}

// working reports the progress of reading files, once per percent.
func (w *watcher) working(at ops.Work) {
	percent := 101
	if at.Total > 0 {
		percent = int(at.Done*100/at.Total) + 1
	}
	if at.Bytes || percent <= w.sent {
		return
	}
	w.sent = percent
	w.call.notify("progress", object{}.Number("done", at.Done).Number("total", at.Total))
}

// skipped reports a file or directory that could not be read.
func (w *watcher) skipped(path string, err error) {
	w.call.notify("skipped", object{}.Text("path", path).Text("error", err.Error()))
}
