package sources

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Receiver is a Program to which conversations can be handed over.
type Receiver interface {
	Program
	// Losses names the parts of a conversation that the program does not
	// support.
	Losses(c *Conversation) []string
	// Receive writes a conversation as a new session where the program finds
	// it. It replaces nothing: if the session exists, the error matches
	// fs.ErrExist and the receipt contains the commands to continue it.
	Receive(ctx context.Context, e Environment, c *Conversation) (Receipt, error)
}

// A Conversation is the context of a session at an entry, to be handed over.
type Conversation struct {
	ID       string // of the session; derived IDs are the same each time
	Title    string
	Cwd      string
	Time     time.Time
	Dir      string // for files that are given to the program by path
	Messages []Handed
	// Branches counts the ways in which the session was continued besides this one.
	Branches int
	// Others are the messages on those branches, cut where branches part. A stretch
	// comes after the one that it continues.
	Others []Stretch
}

// A Stretch is a part of a branch: messages that follow each other.
type Stretch struct {
	// After is the entry of the message that it continues, handed over itself or part
	// of another stretch; "" if nothing that is handed over comes before it.
	After    string
	Messages []Handed
}

// A Handed is one message of a conversation.
type Handed struct {
	ID      string // of the entry
	Time    time.Time
	Message format.Message
}

// A Receipt describes what was written and how to continue.
type Receipt struct {
	ID   string
	Path string
	// Commands start the program with the session; all but the last prepare it.
	Commands [][]string
	Warning  string // "" for none
}

// UUID derives a UUID from the conversation and a key.
func (c *Conversation) UUID(key string) string {
	sum := sha256.Sum256([]byte("pith handover\x00" + c.ID + "\x00" + key))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// SessionUUID is the ID of the session that the conversation becomes in a program.
// Another leaf becomes another session.
func (c *Conversation) SessionUUID(program string) string {
	last := ""
	if n := len(c.Messages); n > 0 {
		last = c.Messages[n-1].ID
	}
	return c.UUID("session " + program + " " + last)
}

// Lost returns the losses of a program without branches: these, and thoughts that keep
// does not want.
func (c *Conversation) Lost(keep func(a *format.Assistant, b *format.ThinkingBlock) bool) []string {
	out := c.LostThoughts(keep)
	if c.Branches > 0 {
		out = append(out, amount.Count(int64(c.Branches), "other branch"))
	}
	return out
}

// LostThoughts returns the losses of a program with branches.
func (c *Conversation) LostThoughts(keep func(a *format.Assistant, b *format.ThinkingBlock) bool) (out []string) {
	n := 0
	for _, h := range c.Messages {
		a, ok := h.Message.(*format.Assistant)
		if !ok {
			continue
		}
		for _, b := range a.Content.Blocks {
			if t, ok := b.(*format.ThinkingBlock); ok && !keep(a, t) {
				n++
			}
		}
	}
	if n > 0 {
		out = append(out, "thinking of "+amount.Count(int64(n), "response"))
	}
	return out
}

// A Turn is a message of a conversation in the form that most programs share: a
// user message, or a response with the results of its calls.
type Turn struct {
	Handed
	User    []format.Block                // of a user message
	Reply   *format.Assistant             // of a response
	Results map[string]*format.ToolResult // by call
	Through []string                      // entries of the results
}

// Entries are those that a turn was made of.
func (t *Turn) Entries() []string { return append([]string{t.ID}, t.Through...) }

// Turns returns the messages of the context with results joined to their calls. Texts
// that only pi knows, such as summaries and commands, become user messages.
func (c *Conversation) Turns() []Turn { return turnsOf(c.Messages) }

// Turns is Turns of a stretch.
func (s *Stretch) Turns() []Turn { return turnsOf(s.Messages) }

func turnsOf(messages []Handed) []Turn {
	var out []Turn
	calls := map[string]int{} // index of the response of a call
	for _, h := range messages {
		switch m := h.Message.(type) {
		case *format.Assistant:
			if m.StopReason == "error" && len(m.Content.Blocks) == 0 {
				continue
			}
			for _, b := range m.Content.Blocks {
				if call, ok := b.(*format.ToolCallBlock); ok {
					calls[call.ID] = len(out)
				}
			}
			out = append(out, Turn{Handed: h, Reply: m, Results: map[string]*format.ToolResult{}})
		case *format.ToolResult:
			if i, ok := calls[m.ToolCallID]; ok {
				out[i].Results[m.ToolCallID] = m
				out[i].Through = append(out[i].Through, h.ID)
			}
		default:
			if blocks := UserBlocks(m); len(blocks) > 0 {
				out = append(out, Turn{Handed: h, User: blocks})
			}
		}
	}
	return out
}

// UserBlocks returns a message that is neither a response nor a result as the
// model reads it.
func UserBlocks(m format.Message) []format.Block {
	text := ""
	switch m := m.(type) {
	case *format.System:
		return nil
	case *format.BashExecution:
		if m.ExcludeFromContext {
			return nil
		}
		text = fmt.Sprintf("Ran `%s`\n```\n%s\n```", m.Command, m.Output)
	case *format.CompactionSummaryMessage:
		text = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n" + m.Summary + "\n</summary>"
	case *format.BranchSummaryMessage:
		text = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n" + m.Summary + "\n</summary>"
	default:
		content, _ := format.ContentOf(m)
		if !content.IsText {
			return content.Blocks
		}
		text = content.Text
	}
	return []format.Block{&format.TextBlock{Text: text}}
}

// TextOf joins the texts of blocks.
func TextOf(blocks []format.Block) string { return format.BlockContent(blocks...).Joined() }

// DataURL returns an image as a data URL.
func DataURL(b *format.ImageBlock) string { return "data:" + b.MimeType + ";base64," + b.Data }

// ArgumentsOf returns the arguments of a call as a JSON object.
func ArgumentsOf(b *format.ToolCallBlock) json.RawMessage {
	if len(b.Arguments) == 0 || !json.Valid(b.Arguments) {
		return json.RawMessage(`{}`)
	}
	return b.Arguments
}

// Mangled returns a path with a dash for everything but letters and digits.
func Mangled(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

// Short returns n letters and digits that depend only on text.
func Short(text string, n int) string {
	sum := sha256.Sum256([]byte(text))
	return strings.NewReplacer("-", "x", "_", "x").Replace(base64.RawURLEncoding.EncodeToString(sum[:]))[:n]
}

// A LineFile collects lines of JSON for a new file.
type LineFile struct {
	lines []byte
	err   error
}

// Add adds a value as a line.
func (f *LineFile) Add(v any) {
	line, err := format.JSON(v)
	if err != nil && f.err == nil {
		f.err = err
	}
	f.lines = append(append(f.lines, line...), '\n')
}

// Write publishes the file: see [WriteNew].
func (f *LineFile) Write(path string) error {
	if f.err != nil {
		return f.err
	}
	return WriteNew(path, store.Bytes(f.lines))
}

// WriteNew publishes a new private file, completely or not at all. If the file
// exists, the error matches fs.ErrExist.
func WriteNew(path string, fill store.Fill) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	log, err := filestore.New(filestore.Options{}).Create(context.Background(), path, fill)
	if err != nil {
		return err
	}
	return log.Close()
}

// AppendLine adds a line to a file that a program appends to.
func AppendLine(path string, v any) error {
	line, err := format.JSON(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
