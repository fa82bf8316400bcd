package webui

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// A session whose file was written within running is shown as running, up to
// mostRunning of them.
const running, mostRunning = 10 * time.Minute, 100

// lastLines caches the ends of the conversations of running sessions.
type lastLines struct{ stateCache[ending] }

type runningSession struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Project  string `json:"project"`
	Status   string `json:"status"`
	Model    string `json:"model"`
	Cost     string `json:"cost"`
	Line     string `json:"line"`
	Waits    string `json:"waits"`   // what it waits for; "" if unknown
	Written  int64  `json:"written"` // milliseconds
	Messages int    `json:"messages"`
}

func (s *Server) livePage(w http.ResponseWriter, _ *http.Request) error { return show(w, "live", nil) }

// liveData serves the running sessions, the one written last first.
func (s *Server) liveData(w http.ResponseWriter, r *http.Request) error {
	l, err := s.archive.look(r.Context())
	if err != nil {
		return err
	}
	since := s.c.Now().Add(-running)
	out := []runningSession{}
	seen := map[string]bool{}
	for i := range l.infos {
		info := &l.infos[i]
		if info.FileTime.Before(since) {
			continue
		}
		end := s.lines.of(r.Context(), s.archive, info)
		out = append(out, runningSession{l.keys[i], page.OneLine(info.Title(), mostTitle), l.projects[i], string(info.Status), page.OneLine(info.Model, 80),
			page.Dollars(info.Spent.Cost), end.line, end.waits, info.FileTime.UnixMilli(), info.MessageCount})
		seen[info.Path] = true
	}
	s.lines.keep(seen)
	slices.SortFunc(out, func(a, b runningSession) int { return int(b.Written - a.Written) })
	return reply(w, out[:min(len(out), mostRunning)])
}

// of returns the end of a session's conversation.
func (c *lastLines) of(ctx context.Context, a *archive, info *catalog.Info) ending {
	at, err := stateOf(info.Path)
	if err != nil {
		return ending{}
	}
	if end, ok := c.get(info.Path, at); ok {
		return end
	}
	end := tailLine(info.Path, at.size)
	if _, foreign := all.Find(info.Root); foreign {
		end = a.lastLine(ctx, info)
	}
	c.put(info.Path, at, end)
	return end
}

// keep drops the lines of sessions that do not run any more.
func (c *lastLines) keep(paths map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.known, func(path string, _ kept[ending]) bool { return !paths[path] })
}

// tailLine returns the end of a conversation from the end of its file.
func tailLine(path string, size int64) (end ending) {
	const most = 256 << 10
	file, err := os.Open(path)
	if err != nil {
		return end
	}
	defer file.Close() // only read
	from := max(0, size-most)
	text, err := io.ReadAll(io.NewSectionReader(file, from, size-from))
	if err != nil {
		return end
	}
	entries := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if from > 0 {
		entries = entries[1:] // it may be a part
	}
	for _, raw := range slices.Backward(entries) {
		if e, err := format.DecodeEntry(raw); err == nil && !end.add(e) {
			break
		}
	}
	return end
}

// lineOf describes an entry of the conversation; "" for other entries.
func lineOf(e format.Entry) string {
	var lines page.Lines
	if kind, text := lines.Of(e); strings.IndexByte("uarxbcs", kind) >= 0 {
		return text
	}
	return ""
}

// lastLine is like tailLine for a session in the format of another program.
func (a *archive) lastLine(ctx context.Context, info *catalog.Info) (end ending) {
	session, err := a.open(ctx, *info)
	if err != nil {
		return end
	}
	defer session.Close() // it was only read
	v := session.View()
	path := activePath(v)
	for _, i := range slices.Backward(path[max(0, len(path)-20):]) {
		for e, err := range page.Entries(ctx, v.Reader().LinesAt([]int{i}), nil) {
			if err != nil || !end.add(e) {
				return end
			}
		}
	}
	return end
}
