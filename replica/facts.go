package replica

import (
	"bytes"
	"fmt"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/spending"
)

// Facts are what a list shows of a session. Those of others are not
// trustworthy.
type Facts struct {
	Cwd          string         `json:"cwd,omitempty"`
	Name         string         `json:"name,omitempty"`
	FirstMessage string         `json:"firstMessage,omitempty"`
	Model        string         `json:"model,omitempty"`
	Source       string         `json:"source,omitempty"` // the agent, or "" for one that writes pi's format
	Status       catalog.Status `json:"status,omitempty"`
	Created      time.Time      `json:"created"`
	Modified     time.Time      `json:"modified"`
	Messages     int            `json:"messages,omitempty"`
	Entries      int            `json:"entries,omitempty"`
	Spent        format.Spent   `json:"spent"`
	Internal     bool           `json:"internal,omitempty"`
}

// Info returns the facts as an entry of a list.
func (f *Facts) Info(id string, size int64) catalog.Info {
	return catalog.Info{ID: id, Size: size, Version: format.Version, Cwd: f.Cwd, Name: f.Name, FirstMessage: f.FirstMessage, Model: f.Model, Root: f.Source, Status: f.Status,
		Created: f.Created, Modified: f.Modified, MessageCount: f.Messages, Entries: f.Entries, Spent: f.Spent, Internal: f.Internal}
}

// A Line is the place of a line and its words, as a [search.WordCollector]
// finds them.
type Line struct {
	Offset int64
	Size   int // without the line ending
	Words  string
}

const (
	// mostLine is the length of the longest line whose words are found.
	mostLine = 15 << 20
	// mostWords is how many bytes of words of a line PostgreSQL can index.
	mostWords = 512 << 10
	// mostText is the number of characters of a text in a list.
	mostText = 1000
)

// A collector collects what describes a copy from its lines.
type collector struct {
	from    int64 // lines from here on are not described yet
	size    int64
	written time.Time
	source  string

	info      catalog.Collector
	words     search.WordCollector
	responses spending.Scanner
	lines     []Line
	buf       []byte
}

// add adds a line.
func (c *collector) add(line []byte) {
	at := c.size
	c.size += int64(len(line))
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if at == 0 {
		c.source = jsonl.LookupString(line, "source")
	}
	c.info.Line(line)
	if at < c.from || len(line) > mostLine {
		return
	}
	c.responses.Line(line)
	c.buf = c.words.Append(c.buf[:0], line)
	if len(c.buf) > mostWords {
		c.buf = c.buf[:bytes.LastIndexByte(c.buf[:mostWords], ' ')]
	}
	if len(c.buf) > 0 {
		c.lines = append(c.lines, Line{at, len(line), string(c.buf[1:])})
	}
}

// describe fills in what was collected since the last call.
func (c *collector) describe(d *Description) {
	if info, ok := c.info.Info(c.written); ok {
		d.Facts = Facts{Cwd: shown(info.Cwd), Name: shown(info.Name), FirstMessage: shown(info.FirstMessage), Model: shown(info.Model), Source: c.source, Status: info.Status,
			Created: usual(info.Created), Modified: usual(info.Modified), Messages: info.MessageCount, Entries: info.Entries, Spent: info.Spent, Internal: info.Internal}
	} else {
		d.Facts = Facts{Cwd: shown(d.Cwd), Created: usual(c.written), Modified: usual(c.written)}
	}
	d.Lines = c.lines
	for _, r := range c.responses.Found().Responses {
		d.Responses = append(d.Responses, Response{r.Key, r.Time, r.Model, r.Tokens, r.Cost.Micros()})
	}
	c.lines, c.from = nil, c.size
	c.responses.Reset()
}

// shown returns as much of a text as a list needs.
func shown(text string) string { return fmt.Sprintf("%.*s", mostText, text) }

// usual returns a time that JSON and PostgreSQL can represent.
func usual(t time.Time) time.Time {
	if y := t.Year(); y < 1970 || y > 9999 {
		return time.Unix(0, 0).UTC()
	}
	return t.UTC()
}
