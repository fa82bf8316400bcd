package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
)

// A reference names a session.
type reference struct {
	Session string `json:"session" need:"value" about:"a reference from another tool, SESSION or SESSION/ENTRY; a session name; or @ for the newest session"`
}

type sessionParams struct {
	reference
	rest
}

type readParams struct {
	reference
	Entry string `json:"entry" about:"an ENTRY, or a range ENTRY..ENTRY or ENTRY.."`
	rest
}

// An opened is a session that a call reads.
type opened struct {
	*call
	*past.Session
	lib    *past.Library
	server *server
	view   *pith.View
	active map[int]bool
}

// reading returns the answer of a tool that reads the session that a call names.
func reading(s *server, answer func(context.Context, *opened) error) func(context.Context, *call, *sessionParams) error {
	return func(ctx context.Context, c *call, p *sessionParams) error {
		return s.open(ctx, c, p.Session, "", answer)
	}
}

// read implements the tool read.
func (s *server) read(ctx context.Context, c *call, p *readParams) error {
	return s.open(ctx, c, p.Session, p.Entry, func(ctx context.Context, r *opened) error {
		if r.Entry == "" || strings.Contains(r.Entry, "..") {
			return s.readRange(ctx, r)
		}
		return s.readEntry(r)
	})
}

// open opens a session, at an entry if the reference names one, and answers with it.
func (s *server) open(ctx context.Context, c *call, ref, entry string, answer func(context.Context, *opened) error) error {
	l, err := s.past.Library(ctx)
	if err != nil {
		return err
	}
	r := &opened{call: c, lib: l, server: s, active: map[int]bool{}}
	if r.Session, err = s.past.Session(ctx, l, ref, entry); err != nil {
		return err
	}
	defer r.Close() // only read
	r.view = r.View()
	if path, err := r.view.Path(""); err == nil {
		for _, pos := range path {
			r.active[pos] = true
		}
	}
	return answer(ctx, r)
}

// about adds the first line of an answer about a session.
func (r *opened) about(what string) {
	var b strings.Builder
	r.server.origin(&b, r.lib, r.Info, r.Entry, r.Info.Modified)
	r.head("%s%s", b.String(), what)
	if note := ops.UnknownNote(r.Session.Session); note != "" {
		r.head("%s", note)
	}
}

// left adds that an entry is on an abandoned branch.
func (r *opened) left(entry string) {
	if pos, err := r.view.Find(entry); err == nil && !r.active[pos] {
		r.head("abandoned branch: not part of the current branch; see tree")
	}
}

func (s *server) outline(ctx context.Context, r *opened) error {
	scope := inspect.Scope{}
	if r.Entry != "" {
		scope.Leaf = inspect.LeafThrough(r.view, r.Entry)
	}
	turns, err := inspect.Open(r.Session.Session, scope)
	if err != nil {
		return err
	}
	offset, err := r.offset()
	if err != nil {
		return err
	}
	branches := ""
	if r.Info.Branches > 1 {
		branches = ", " + humanize.Count(r.Info.Branches, "branch") + ": see tree"
	}
	r.about(fmt.Sprintf(", %s%s", humanize.Count(turns.Len(), "turn"), branches))
	if r.Entry != "" {
		r.left(r.Entry)
	}
	total := max(0, turns.Len()-offset)
	var failed error
	r.list(offset, total, false, func(i int, _ int64) string {
		if err := ctx.Err(); err != nil {
			failed = err
			return strings.Repeat(" ", 1<<20) // ends the list
		}
		x, err := turns.Turn(offset+i, inspect.Detail{MaxContent: 8192, Brief: true})
		if err != nil {
			failed = err
			return ""
		}
		return s.row(x)
	})
	return failed
}

// row returns a turn as one line.
func (s *server) row(x *inspect.Turn) string {
	row := x.Contents()
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s", row.Number, s.guard.ID(string(row.EntryID)), moment(row.Time))
	for i := range x.Items {
		if it := &x.Items[i]; it.Kind == inspect.User && it.Text != "" {
			fmt.Fprintf(&b, " %s", s.guard.Line(string(it.Text), 120))
			break
		}
	}
	if text := s.toolUses(row.Tools, 4); text != "" {
		fmt.Fprintf(&b, " %s", text)
	}
	if row.Errors > 0 {
		fmt.Fprintf(&b, ", %d failed", row.Errors)
	}
	if row.Compacted {
		b.WriteString(", compacted here")
	}
	for _, label := range row.Labels {
		fmt.Fprintf(&b, ", label %s", s.guard.Line(string(label), 60))
	}
	return b.String() + "\n"
}

func moment(m inspect.Moment) string {
	if m.IsZero() {
		return "undated"
	}
	return m.UTC().Format("2006-01-02 15:04")
}

// A piece is one item of an entry: a heading in pith's words, and the recorded
// text.
type piece struct{ entry, head, text string }

// pieces returns the pieces of items, in order.
func (s *server) pieces(items []inspect.Item) []piece {
	var out []piece
	for i := range items {
		it := &items[i]
		p := piece{string(it.EntryID), string(it.Kind), string(it.Text)}
		if it.Image != nil {
			p.head += ", " + s.guard.Line(it.Image.String(), 80)
		}
		switch {
		case it.Tool != nil:
			p.head = "call " + s.guard.Line(string(it.Name), 60)
			p.text = string(it.Tool.Arguments)
			out = append(out, p)
			if r := it.Tool.Result; r != nil {
				result := piece{string(r.EntryID), "result", string(r.Text)}
				if r.IsError {
					result.head = "failed"
				}
				for i := range r.Images {
					result.head += ", " + s.guard.Line(r.Images[i].String(), 80)
				}
				out = append(out, result)
			}
			continue
		case it.Bash != nil:
			p.text = "$ " + string(it.Bash.Command) + "\n" + p.text
		case it.Kind == inspect.BranchSummary:
			p.head = "summary of an abandoned branch"
		case it.Name != "":
			p.head += " " + s.guard.Line(string(it.Name), 80)
		}
		out = append(out, p)
	}
	return out
}

// maxText returns the maximum length of one text in a range.
func maxText(budget int64) int { return min(4000, max(300, characters(budget)/4)) }

// readRange reads entries in order, each shortened.
func (s *server) readRange(ctx context.Context, r *opened) error {
	from, to, _ := strings.Cut(r.Entry, "..")
	var err error
	for _, end := range []*string{&from, &to} {
		if *end == "" {
			continue
		}
		if *end, err = s.guard.Entry(r.Session.Session, *end); err != nil {
			return err
		}
	}
	scope := inspect.Scope{Leaf: to}
	if to == "" && from != "" {
		scope.Leaf = inspect.LeafThrough(r.view, from)
	}
	reading, err := inspect.Open(r.Session.Session, scope)
	if err != nil {
		return err
	}
	turn, skip, err := r.begin(reading, from)
	if err != nil {
		return err
	}
	r.Entry = ""
	r.about("")
	if from != "" {
		r.left(from)
	}
	return s.readOn(ctx, r, reading, turn, skip)
}

// begin returns the turn, and the piece in it, at which reading starts.
func (r *opened) begin(reading *inspect.Reading, from string) (turn, skip int, err error) {
	if r.Next != "" {
		if _, err := fmt.Sscanf(r.Next, "%d.%d", &turn, &skip); err != nil || turn < 0 || skip < 0 || turn > reading.Len() {
			return 0, 0, r.invalid()
		}
		return turn, skip, nil
	}
	if from == "" {
		return 0, 0, nil
	}
	if turn, err = reading.Holding(from); err != nil {
		return 0, 0, err
	}
	x, err := reading.Turn(turn, inspect.Detail{MaxContent: 1, Brief: true})
	if err != nil {
		return 0, 0, err
	}
	for i, p := range r.server.pieces(x.Items) {
		if p.entry == from {
			return turn, i, nil
		}
	}
	return turn, 0, nil
}

func (s *server) readOn(ctx context.Context, r *opened, reading *inspect.Reading, turn, skip int) error {
	most := maxText(r.budget)
	var failed error
	rest := r.fill(func(yield func(string, string) bool) {
		for ; turn < reading.Len(); turn, skip = turn+1, 0 {
			x, err := reading.Turn(turn, inspect.Detail{MaxContent: 4*most + 2*past.Margin, Brief: true})
			if failed = cmp.Or(err, ctx.Err()); failed != nil {
				return
			}
			list := s.pieces(x.Items)
			for i := min(skip, len(list)); i < len(list); i++ {
				if !yield(fmt.Sprintf("%d.%d", turn, i), s.pieceText(&list[i], most)) {
					return
				}
			}
		}
	})
	if rest != "" {
		r.next(rest, "the conversation continues")
	}
	return failed
}

func (s *server) pieceText(p *piece, most int) string {
	text := fmt.Sprintf("%s %s\n", s.guard.ID(p.entry), p.head)
	if strings.TrimSpace(p.text) != "" {
		text += quoted(s.guard.Beginning(p.text, most))
	}
	return text
}

// readEntry reads one entry in full, in pages.
func (s *server) readEntry(r *opened) error {
	reading, err := inspect.Open(r.Session.Session, inspect.Scope{Leaf: inspect.LeafThrough(r.view, r.Entry)})
	if err != nil {
		return err
	}
	at, err := reading.Holding(r.Entry)
	if err != nil {
		return err
	}
	x, err := reading.Turn(at, inspect.Detail{})
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(s.pieces(x.Items), func(p piece) bool { return p.entry != r.Entry })
	part, offset := 0, 0
	if r.Next != "" {
		if _, err := fmt.Sscanf(r.Next, "%d.%d", &part, &offset); err != nil || part < 0 || offset < 0 || part >= len(list) {
			return r.invalid()
		}
	}
	r.about("")
	r.left(r.Entry)
	if string(x.EntryID) != r.Entry {
		first := s.guard.ID(string(x.EntryID))
		r.head("part of turn %d, which starts at %s; to read the whole turn, use entry %s..", x.Number, first, first)
	}
	for ; part < len(list); part, offset = part+1, 0 {
		p := &list[part]
		r.head("%s", p.head)
		text := s.guard.All(p.text)
		for offset = min(offset, len(text)); offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]); offset-- {
		}
		if text = text[offset:]; text == "" {
			continue
		}
		page := fitting(text, r.room())
		r.force(quoted(page))
		if len(page) < len(text) {
			r.next(fmt.Sprintf("%d.%d", part, offset+len(page)), humanize.Bytes(int64(len(text)-len(page)))+" left")
			return nil
		}
	}
	return nil
}

// fitting returns as much of the beginning of a text as fits the tokens as a
// quotation, at least a little.
func fitting(text string, tokens int64) string {
	size := min(len(text), characters(tokens)+3*int(max(0, tokens)))
	for {
		page := past.Cut(text, size)
		if len(page) < len(text) {
			if i := strings.LastIndexByte(page, '\n'); i > len(page)/2 {
				page = page[:i+1]
			}
		}
		if size < 64 || inspect.Tokens(quoted(page)) <= tokens {
			return page
		}
		size = size * 4 / 5
	}
}
