package rpcserver

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
)

// keepMethods returns the methods that change or remove whole sessions. All but
// the last work on files, not on open sessions.
func keepMethods() []*method {
	return []*method{
		background("deleteSession", "path:name", inTrash(deleteSession)),
		background("restoreSession", "id:name, to?", inTrash(restoreSession)),
		background("purgeSession", "id:name", inTrash(purgeSession)),
		operation("setMarks", ops.Mark),
		onLive("cycleModel", "direction:forward/backward?", cycleModel),
	}
}

// keptMethods returns the methods that report trash and marks, and pi's own
// helpers about a session.
func keptMethods() []*method {
	return []*method{
		background("listTrash", "", inTrash(listTrash)),
		onServer("estimateTokens", "message:object", estimateTokens),
		onSession("getUserMessagesForForking", "", userMessages),
		onSession("getLatestCompactionEntry", "leafId:entry?", latestCompaction),
	}
}

// inTrash returns a method that needs the location of the trash.
func inTrash(handle func(context.Context, *call, trash.Options) ([]byte, error)) handler {
	return func(ctx context.Context, c *call) ([]byte, error) {
		if c.server.opt.App.Trash == nil {
			return nil, ops.ErrNoPlace
		}
		o, err := c.server.opt.App.Trash()
		if err != nil {
			return nil, err
		}
		return handle(ctx, c, o)
	}
}

func deleteSession(ctx context.Context, c *call, o trash.Options) ([]byte, error) {
	path := sessiondir.ExpandPath(c.text("path"), "")
	if _, err := catalog.Facts(ctx, catalog.Ref{Path: path}, catalog.Options{}); err != nil {
		return nil, err // only sessions can be deleted
	}
	r, err := ops.Remove(ctx, ops.RemoveParams{
		Session: catalog.Ref{Path: path}, Engine: c.server.engineOptions(), Catalog: c.server.opt.App.Listing(), Trash: o,
	})
	if err != nil {
		return nil, err
	}
	return view.Marshal(view.TrashedOf(&r))
}

func listTrash(_ context.Context, _ *call, o trash.Options) ([]byte, error) {
	all, err := trash.List(o)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	return view.Marshal(view.TrashedAll(all))
}

func restoreSession(_ context.Context, c *call, o trash.Options) ([]byte, error) {
	if to := c.text("to"); to != "" {
		o.To = sessiondir.ExpandPath(to, "")
	}
	path, err := trash.Restore(c.text("id"), o)
	if err != nil {
		return nil, err
	}
	return jsonl.AppendString(nil, path), nil
}

func purgeSession(_ context.Context, c *call, o trash.Options) ([]byte, error) {
	return nothing(trash.Purge(c.text("id"), o))
}

// estimateTokens returns pi's estimate for one message.
func estimateTokens(_ context.Context, c *call) ([]byte, error) {
	return strconv.AppendInt(nil, compact.Quarter.RawTokens(json.RawMessage(c.raw("message"))), 10), nil
}

// userMessages returns the user messages of all branches, to choose a fork
// from.
func userMessages(_ context.Context, c *call) ([]byte, error) {
	var l list
	for line, err := range c.session.View().Reader().Lines() {
		if err != nil {
			return nil, err
		}
		if line.Role != format.RoleUser {
			continue
		}
		e, err := c.session.Entry(line.ID)
		if err != nil {
			return nil, err
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			continue
		}
		if u, ok := m.Message.(*format.User); ok {
			if text := u.Content.Joined(); text != "" {
				l.add(object{}.Text("entryId", line.ID).Text("text", text))
			}
		}
	}
	return l.end(), nil
}

// latestCompaction returns the last compaction on a branch, or null.
func latestCompaction(_ context.Context, c *call) ([]byte, error) {
	leaf := c.session.LeafID()
	if c.raw("leafId") != nil {
		leaf = c.text("leafId")
	}
	if leaf == "" {
		return null, nil
	}
	v := c.session.View()
	path, err := v.Path(leaf)
	if err != nil {
		return nil, err
	}
	for _, at := range slices.Backward(path) {
		if v.At(at).Type == format.TypeCompaction {
			line, err := v.Line(at)
			return line.Raw, err
		}
	}
	return null, nil
}

// cycleModel switches to the next or the previous usable model. It returns null
// if there is no other.
func cycleModel(ctx context.Context, c *call, l *live) ([]byte, error) {
	direction := c.text("direction")
	all, now := l.setup.Models.Models(), l.conv.Model()
	if len(all) < 2 {
		return null, nil
	}
	step := 1
	if direction == "backward" {
		step = len(all) - 1
	}
	at := 0
	for i, m := range all {
		if m.Provider == now.Provider && m.ID == now.ID {
			at = i + step
		}
	}
	next := all[at%len(all)]
	model, err := l.setModel(ctx, next.Provider, next.ID)
	if err != nil {
		return nil, err
	}
	return object{}.Raw("model", model).Text("thinkingLevel", l.conv.Thinking()), nil
}
