package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/inspect"
)

// A reading is a session that a call reads.
type reading struct {
	*call
	lib     *library
	info    *catalog.Info
	session *pith.Session
	view    *pith.View
	entry   string
	active  map[int]bool
}

// reading returns the answer of a tool that reads the session that a call names.
func (s *server) reading(answer func(context.Context, *reading) error) func(context.Context, *call) error {
	return func(ctx context.Context, c *call) error {
		r, err := s.open(ctx, c)
		if err != nil {
			return err
		}
		defer r.session.Close() // only read
		return answer(ctx, r)
	}
}

// open opens the session of a call, at an entry if the call names one.
func (s *server) open(ctx context.Context, c *call) (*reading, error) {
	entry := c.text("entry")
	ref := c.need("session", "an ID from search or sessions, or @ for the newest")
	if c.bad != nil {
		return nil, c.bad
	}
	l, err := s.library(ctx)
	if err != nil {
		return nil, err
	}
	r := &reading{call: c, lib: l, active: map[int]bool{}}
	if r.info, r.session, r.entry, err = s.openAt(ctx, l, ref, entry); err != nil {
		return nil, err
	}
	r.view = r.session.View()
	if path, err := r.view.Path(""); err == nil {
		for _, pos := range path {
			r.active[pos] = true
		}
	}
	return r, nil
}

// about adds the first line of an answer about a session.
func (r *reading) about(what string) {
	var b strings.Builder
	r.server.origin(&b, r.lib, r.info, r.entry, r.info.Modified)
	r.head("%s%s", b.String(), what)
	if note := view.UnknownNote(r.session); note != "" {
		r.head("%s", note)
	}
}

// left adds that an entry is on an abandoned branch.
func (r *reading) left(entry string) {
	if pos, err := r.view.Find(entry); err == nil && !r.active[pos] {
		r.head("abandoned branch: not part of the current branch; see tree")
	}
}

func (s *server) outline(ctx context.Context, r *reading) error {
	scope := inspect.Scope{}
	if r.entry != "" {
		scope.Leaf = inspect.LeafThrough(r.view, r.entry)
	}
	turns, err := inspect.Open(r.session, scope)
	if err != nil {
		return err
	}
	offset := r.offset()
	if r.bad != nil {
		return r.bad
	}
	branches := ""
	if r.info.Branches > 1 {
		branches = ", " + humanize.Count(r.info.Branches, "branch") + ": see tree"
	}
	r.about(fmt.Sprintf(", %s%s", humanize.Count(turns.Len(), "turn"), branches))
	if r.entry != "" {
		r.left(r.entry)
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
	fmt.Fprintf(&b, "%d %s %s", row.Number, s.guard.id(string(row.EntryID)), moment(row.Time))
	for i := range x.Items {
		if it := &x.Items[i]; it.Kind == inspect.User && it.Text != "" {
			fmt.Fprintf(&b, " %s", s.guard.line(string(it.Text), 120))
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
		fmt.Fprintf(&b, ", label %s", s.guard.line(string(label), 60))
	}
	return b.String() + "\n"
}

func moment(m inspect.Moment) string {
	if m.IsZero() {
		return "undated"
	}
	return m.UTC().Format("2006-01-02 15:04")
}

func (s *server) read(ctx context.Context, r *reading) error {
	if r.entry == "" || strings.Contains(r.entry, "..") {
		return s.readRange(ctx, r)
	}
	return s.readEntry(r)
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
			p.head += ", " + s.guard.line(it.Image.String(), 80)
		}
		switch {
		case it.Tool != nil:
			p.head = "call " + s.guard.line(string(it.Name), 60)
			p.text = string(it.Tool.Arguments)
			out = append(out, p)
			if r := it.Tool.Result; r != nil {
				result := piece{string(r.EntryID), "result", string(r.Text)}
				if r.IsError {
					result.head = "failed"
				}
				for i := range r.Images {
					result.head += ", " + s.guard.line(r.Images[i].String(), 80)
				}
				out = append(out, result)
			}
			continue
		case it.Bash != nil:
			p.text = "$ " + string(it.Bash.Command) + "\n" + p.text
		case it.Kind == inspect.BranchSummary:
			p.head = "summary of an abandoned branch"
		case it.Name != "":
			p.head += " " + s.guard.line(string(it.Name), 80)
		}
		out = append(out, p)
	}
	return out
}

// maxText returns the maximum length of one text in a range.
func maxText(budget int64) int { return min(4000, max(300, characters(budget)/4)) }

// readRange reads entries in order, each shortened.
func (s *server) readRange(ctx context.Context, r *reading) error {
	from, to, _ := strings.Cut(r.entry, "..")
	var err error
	for _, end := range []*string{&from, &to} {
		if *end == "" {
			continue
		}
		if *end, err = s.guard.entry(r.session, *end); err != nil {
			return err
		}
	}
	scope := inspect.Scope{Leaf: to}
	if to == "" && from != "" {
		scope.Leaf = inspect.LeafThrough(r.view, from)
	}
	reading, err := inspect.Open(r.session, scope)
	if err != nil {
		return err
	}
	turn, skip, err := r.begin(reading, from)
	if err != nil {
		return err
	}
	r.entry = ""
	r.about("")
	if from != "" {
		r.left(from)
	}
	return s.readOn(ctx, r, reading, turn, skip)
}

// begin returns the turn, and the piece in it, at which reading starts.
func (r *reading) begin(reading *inspect.Reading, from string) (turn, skip int, err error) {
	if r.start != "" {
		if _, err := fmt.Sscanf(r.start, "%d.%d", &turn, &skip); err != nil || turn < 0 || skip < 0 || turn > reading.Len() {
			return 0, 0, usagef("invalid next %q: use the value from the previous answer, or leave it out to start over", short(r.start, 40))
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

func (s *server) readOn(ctx context.Context, r *reading, reading *inspect.Reading, turn, skip int) error {
	most := maxText(r.budget)
	some := false
	for ; turn < reading.Len(); turn, skip = turn+1, 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, err := reading.Turn(turn, inspect.Detail{MaxContent: 4*most + 2*margin, Brief: true})
		if err != nil {
			return err
		}
		list := s.pieces(x.Items)
		for i := min(skip, len(list)); i < len(list); i++ {
			text := s.pieceText(&list[i], most)
			if !r.add(text) {
				if some {
					r.next(fmt.Sprintf("%d.%d", turn, i), "the conversation continues")
					return nil
				}
				r.add(cutToRoom(text, r.room()))
			}
			some = true
		}
	}
	return nil
}

func (s *server) pieceText(p *piece, most int) string {
	text := fmt.Sprintf("%s %s\n", s.guard.id(p.entry), p.head)
	if strings.TrimSpace(p.text) != "" {
		text += quoted(s.guard.beginning(p.text, most))
	}
	return text
}

// chunk is how much of a long text is redacted in one step.
const chunk = 512 << 10

// readEntry reads one entry in full, in pages.
func (s *server) readEntry(r *reading) error {
	reading, err := inspect.Open(r.session, inspect.Scope{Leaf: inspect.LeafThrough(r.view, r.entry)})
	if err != nil {
		return err
	}
	at, err := reading.Holding(r.entry)
	if err != nil {
		return err
	}
	x, err := reading.Turn(at, inspect.Detail{})
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(s.pieces(x.Items), func(p piece) bool { return p.entry != r.entry })
	part, chunkAt, offset, ok := s.readCursor(r.start, list)
	if !ok {
		return usagef("invalid next %q: use the value from the previous answer, or leave it out to start over", short(r.start, 40))
	}
	r.about("")
	r.left(r.entry)
	if string(x.EntryID) != r.entry {
		first := s.guard.id(string(x.EntryID))
		r.head("part of turn %d, which starts at %s; to read the whole turn, use entry %s..", x.Number, first, first)
	}
	for ; part < len(list); part, chunkAt, offset = part+1, 0, 0 {
		p := &list[part]
		r.head("%s", p.head)
		for chunkAt < len(p.text) {
			end := s.guard.chunkEnd(p.text, chunkAt)
			text := s.guard.all(p.text[chunkAt:end])
			offset = min(offset, len(text))
			page := fitting(text[offset:], r.room())
			r.add(quoted(page))
			if offset += len(page); offset < len(text) {
				r.next(fmt.Sprintf("%d.%d.%d", part, chunkAt, offset), humanize.Bytes(int64(len(text)-offset+len(p.text)-end))+" left")
				return nil
			}
			chunkAt, offset = end, 0
		}
	}
	return nil
}

// readCursor parses where a page of an entry starts. A chunk starts where
// another ends: a page from any other place could show half a secret, which
// redaction does not recognize.
func (s *server) readCursor(start string, list []piece) (part, chunkAt, offset int, ok bool) {
	if start == "" {
		return 0, 0, 0, true
	}
	words := strings.Split(start, ".")
	if len(words) != 3 {
		return 0, 0, 0, false
	}
	var n [3]int
	for i, word := range words {
		var err error
		if n[i], err = strconv.Atoi(word); err != nil || n[i] < 0 {
			return 0, 0, 0, false
		}
	}
	part, chunkAt, offset = n[0], n[1], n[2]
	if part >= len(list) {
		return 0, 0, 0, false
	}
	at, text := 0, list[part].text
	for at < min(chunkAt, len(text)) {
		at = s.guard.chunkEnd(text, at)
	}
	return part, chunkAt, offset, at == chunkAt
}

// chunkEnd returns the end of a chunk of a text: after a line, if there is one,
// and not inside a secret.
func (g *guard) chunkEnd(text string, from int) int {
	if len(text)-from <= chunk {
		return len(text)
	}
	end := from + len(cutBytes(text[from:], chunk))
	for range 16 { // no secret is that long
		if i := strings.LastIndexByte(text[from:end], '\n'); i > chunk/2 {
			end = from + i + 1
		}
		if g.separable(text, end) {
			break
		}
		end = from + len(cutBytes(text[from:], end-from-margin))
	}
	return end
}

// fitting returns as much of the beginning of a text as fits the tokens as a
// quotation, at least a little.
func fitting(text string, tokens int64) string {
	size := min(len(text), characters(tokens)+3*int(max(0, tokens)))
	for {
		page := cutBytes(text, size)
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
