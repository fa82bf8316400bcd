package live

import (
	"context"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/markdown"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/format"
)

// Notes describes entries for the tree.
type Notes struct {
	session *pith.Session
	home    string
	run     func(func()) // in a goroutine of its own
}

// Notes returns the notes of the current session.
func (l *Session) Notes() *Notes { return &Notes{l.Current(), l.o.Home, l.o.Go} }

func (n *Notes) describer() *entryline.Describer {
	return entryline.NewDescriber(func(path string) string { return humanize.Path(n.home, path) })
}

var tones = [...]paint.Tone{
	tone.None: paint.Plain, tone.Dim: paint.Dim, tone.User: paint.Accent, tone.Assistant: paint.Success,
	tone.Warning: paint.Warning, tone.Error: paint.Error, tone.Note: paint.Note,
}

// note describes one entry, given the calls seen before it.
func note(d *entryline.Describer, line pith.Line) (treeview.Note, error) {
	brief, search, err := d.ReadSearched(line.Raw)
	if err != nil {
		return treeview.Note{}, err
	}
	l := d.Line(&brief)
	return treeview.Note{
		Head: l.Head, HeadTone: tones[l.HeadTone], Text: l.Text, TextTone: tones[l.TextTone],
		Search: search, Silent: brief.Silent,
	}, nil
}

// Notes implements [treeview.Source]. A tool result is described by its call,
// which is in a response shortly before it.
func (n *Notes) Notes(ctx context.Context, entries []*treeview.Entry) ([]treeview.Note, error) {
	r := n.session.View().Reader()
	out := make([]treeview.Note, len(entries))
	for i, entry := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		describer := n.describer()
		if entry.Role == format.RoleToolResult {
			n.learnCalls(r, describer, entry)
		}
		line, err := r.Line(entry.Pos)
		if err == nil {
			out[i], err = note(describer, line)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// before is the number of entries in which the call of a result is searched.
const before = 40

// learnCalls reads the response before a result, to know its calls.
func (n *Notes) learnCalls(r *pith.Reader, d *entryline.Describer, entry *treeview.Entry) {
	for pos := entry.Pos - 1; pos >= max(0, entry.Pos-before); pos-- {
		line, err := r.Line(pos)
		if err != nil {
			return
		}
		if line.Role != format.RoleAssistant {
			continue
		}
		if b, err := d.Read(line.Raw); err == nil {
			d.Line(&b)
		}
		return
	}
}

// pieceSize is the number of notes sent at a time.
const pieceSize = 2000

// AllNotes implements [treeview.Source].
func (n *Notes) AllNotes(ctx context.Context, first int) <-chan treeview.Piece {
	out := make(chan treeview.Piece)
	n.run(func() {
		defer close(out)
		send := func(p treeview.Piece) bool {
			select {
			case out <- p:
				return true
			case <-ctx.Done():
				return false
			}
		}
		describer := n.describer()
		piece := treeview.Piece{}
		for line, err := range n.session.View().Reader().Lines() {
			if err == nil && ctx.Err() != nil {
				return
			}
			var next treeview.Note
			switch {
			case err != nil:
			case line.Pos < first:
				next, err = note(describer, line)
			default: // the describer would remember all calls
				var brief entryline.Brief
				brief, next.Search, err = describer.ReadSearched(line.Raw)
				next.Silent = brief.Silent
			}
			if err != nil {
				send(treeview.Piece{Err: err})
				return
			}
			piece.Notes = append(piece.Notes, next)
			if len(piece.Notes) == pieceSize {
				if !send(piece) {
					return
				}
				piece = treeview.Piece{From: line.Pos + 1}
			}
		}
		send(piece)
	})
	return out
}

// entry decodes an entry.
func (n *Notes) entry(entry *treeview.Entry) (format.Entry, error) {
	line, err := n.session.View().Reader().Line(entry.Pos)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(line.Raw)
}

// Text implements [treeview.Source].
func (n *Notes) Text(_ context.Context, entry *treeview.Entry) (string, error) {
	e, err := n.entry(entry)
	if err != nil {
		return "", err
	}
	return entryline.Copy(e), nil
}

// preview returns the full text of an entry: the text that copying it gives,
// and for a user's command also its output.
func preview(e format.Entry) string {
	text := entryline.Copy(e)
	if m, ok := e.(*format.MessageEntry); ok {
		if b, ok := m.Message.(*format.BashExecution); ok {
			return "$ " + text + "\n\n" + b.Output
		}
	}
	return text
}

// moment returns a local time; text that is not a time is returned unchanged.
func moment(stamp string) string {
	at, ok := format.ParseTime(stamp)
	if !ok {
		return stamp
	}
	return humanize.Moment(at)
}

// isAnswer reports whether an entry is a response of a model, which is
// Markdown.
func isAnswer(e format.Entry) bool {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return false
	}
	_, ok = m.Message.(*format.Assistant)
	return ok
}

// longestPreview is the maximum length of an entry next to the tree.
const longestPreview = 8 << 10

// Preview implements [treeview.Source].
func (n *Notes) Preview(_ context.Context, entry *treeview.Entry, width int) ([][]paint.Span, error) {
	e, err := n.entry(entry)
	if err != nil {
		return nil, err
	}
	g := n.describer().Describe(e)
	lines := [][]paint.Span{{{Tone: paint.Dim, Text: entry.ID + "  " + moment(e.Head().Timestamp)}}, nil}
	text := preview(e)
	if text == "" {
		return append(lines, []paint.Span{{Tone: tones[g.HeadTone], Text: g.Head}, {Tone: tones[g.TextTone], Text: g.Text}}), nil
	}
	if g.Head != "" {
		lines = append(lines, []paint.Span{{Tone: tones[g.HeadTone], Text: strings.TrimSuffix(strings.TrimSpace(g.Head), ":")}}, nil)
	}
	if len(text) > longestPreview {
		text = text[:longestPreview]
	}
	if isAnswer(e) {
		return append(lines, markdown.Lines(text, max(1, width))...), nil
	}
	return append(lines, paint.WrapText(paint.Plain, text, width)...), nil
}
