package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/subagent"
)

// Turns is a session as the conversation screen reads it, at one moment.
type Turns struct {
	mu      sync.Mutex // a reading must not be used concurrently
	reading *inspect.Reading
	title   string // the first prompt
}

// longestText is the maximum length of one text that is read for the screen.
const longestText = 256 << 10

// Turns reads the path to an entry; "" means the current leaf.
func (l *Session) Turns(leaf string) (*Turns, error) {
	r, err := inspect.Open(l.Current(), inspect.Scope{Leaf: leaf})
	if err != nil {
		return nil, err
	}
	x := &Turns{reading: r}
	for i := range min(2, r.Len()) {
		if t, err := r.Turn(i, inspect.Detail{MaxContent: titleText}); err == nil && x.title == "" {
			x.title = string(t.Title())
		}
	}
	return x, nil
}

// Branch returns the end of the branch that contains an entry, if that is not
// the active path, or "" if it is, or if the entry does not exist. Of several
// ends it returns the one written last.
func (l *Session) Branch(id string) string {
	v := l.Current().View()
	if _, err := v.Find(id); err != nil {
		return ""
	}
	if path, err := v.PathIDs(""); err != nil || slices.Contains(path, id) {
		return ""
	}
	seen := map[string]bool{} // a damaged file may contain cycles
	for !seen[id] {
		seen[id] = true
		next, err := v.Children(id)
		if err != nil || len(next) == 0 {
			break
		}
		id = v.At(next[len(next)-1]).ID
	}
	return id
}

// Len returns the number of exchanges.
func (x *Turns) Len() int { return x.reading.Len() }

// Holding implements [conversation.Source].
func (x *Turns) Holding(id string) (turn int, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, err := x.reading.Holding(id)
	return i, err == nil
}

// Entries returns the number of entries of the path.
func (x *Turns) Entries() int { return x.reading.Entries() }

// another returns a reading of its own, so that the screen does not wait.
func (x *Turns) another() *inspect.Reading {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reading.Another()
}

// Turn implements [conversation.Source].
func (x *Turns) Turn(_ context.Context, i int) (*inspect.Turn, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	exchange, err := x.reading.Turn(i, inspect.Detail{MaxContent: longestText})
	if err != nil {
		return nil, err
	}
	return exchange, x.tellFailedRuns(exchange, i)
}

// tellFailedRuns marks a call that ran several subagents as failed if a run
// failed: the combined result of the tool may not show it.
func (x *Turns) tellFailedRuns(exchange *inspect.Turn, i int) error {
	calls := map[inspect.Text]*inspect.Result{}
	for k := range exchange.Items {
		it := &exchange.Items[k]
		if it.Tool != nil && it.Tool.Result != nil && !it.Tool.Result.IsError && subagent.IsTool(string(it.Name)) {
			calls[it.Tool.Result.EntryID] = it.Tool.Result
		}
	}
	if len(calls) == 0 {
		return nil
	}
	found, err := subagent.FindIn(x.reading.Lines(i))
	if err != nil {
		return err
	}
	for k := range found {
		result := calls[inspect.Text(found[k].ResultEntry)]
		if result == nil {
			continue
		}
		var failed []string
		for _, run := range found[k].Runs {
			if run.Status.Bad() {
				failed = append(failed, run.Agent)
			}
		}
		if len(failed) > 0 {
			result.IsError = true
			text := fmt.Sprintf("%d of %s failed: %s", len(failed), humanize.Count(len(found[k].Runs), "run"), strings.Join(failed, ", "))
			result.Text = inspect.Text(text) + "\n" + result.Text
		}
	}
	return nil
}

// Find implements [conversation.Source].
func (x *Turns) Find(ctx context.Context, search string) ([]conversation.Place, error) {
	found, err := x.another().Choose(ctx, inspect.Choice{Search: search})
	if err != nil {
		return nil, err
	}
	places := make([]conversation.Place, len(found.Indexes))
	for i, at := range found.Indexes {
		places[i] = conversation.Place{Turn: at}
	}
	return places, nil
}

// Title returns the beginning of the first prompt, or "".
func (x *Turns) Title() string { return x.title }

// titleText is the maximum length of a text that is read for a title.
const titleText = 2000
