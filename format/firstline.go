package format

import (
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A FirstLine is the kind of the first parsable line of a file.
type FirstLine uint8

const (
	// FirstOther means that the file is not a session.
	FirstOther FirstLine = iota
	// FirstHeader is a session header.
	FirstHeader
	// FirstTitleSlot is oh-my-pi's title slot; the header is the next line.
	FirstTitleSlot
	// FirstV4 is a header of format version 4 or above, as pi-agent-core writes
	// it. This package cannot read the lines after it.
	FirstV4
)

// String names the kind for messages.
func (f FirstLine) String() string {
	switch f {
	case FirstHeader:
		return "header"
	case FirstTitleSlot:
		return "title slot"
	case FirstV4:
		return "version 4 header"
	default:
		return "other"
	}
}

var firstKeys = jsonl.NewKeys("type", "v", "kind")

// ClassifyFirst returns the kind of the first line of a file. line must be
// valid JSON; it may start with a byte order mark.
func ClassifyFirst(line []byte) FirstLine {
	first, err := scanFirst(trimMark(line))
	if err != nil {
		return FirstOther
	}
	return first
}

// scanFirst classifies a line without a byte order mark. It returns an error if
// the line is not a JSON object.
func scanFirst(line []byte) (FirstLine, error) {
	var spans [3]jsonl.Span
	if shape, at := firstKeys.Scan(line, spans[:]); shape != jsonl.Object {
		return FirstOther, shapeError(line, shape, at)
	}
	switch Type(asWord(spans[0].Of(line))) {
	case TypeSession:
		return FirstHeader, nil
	case TypeTitle:
		return FirstTitleSlot, nil
	}
	if asInt(spans[1].Of(line)) > Version && asString(spans[2].Of(line)) == "header" {
		return FirstV4, nil
	}
	return FirstOther, nil
}

// A TitleSlot is the line of fixed size that oh-my-pi keeps before the header
// and overwrites in place. Its title takes precedence over the header's.
type TitleSlot struct {
	Title     string
	Source    string // "auto", "user" or ""
	UpdatedAt string
}

// TitleSlotSize is the length of a title slot, including its line feed.
// oh-my-pi uses it to find the header.
const TitleSlotSize = 256

// AppendTitleSlot appends a title slot as oh-my-pi writes it, including the
// line feed: [TitleSlotSize] bytes. A title that is too long is truncated.
func AppendTitleSlot(dst []byte, slot TitleSlot) []byte {
	write := func(title string, pad int) []byte {
		o := openObject(nil)
		o.str("type", string(TypeTitle))
		o.int("v", 1)
		o.str("title", title)
		o.optStr("source", slot.Source)
		o.str("updatedAt", slot.UpdatedAt)
		o.str("pad", strings.Repeat(" ", pad))
		return append(o.close(), '\n')
	}
	title := slot.Title
	for {
		line := write(title, 0)
		if len(line) <= TitleSlotSize || title == "" {
			return append(dst, write(title, max(0, TitleSlotSize-len(line)))...)
		}
		_, last := utf8.DecodeLastRuneInString(title)
		title = title[:len(title)-last]
	}
}

// DecodeTitleSlot decodes a title slot. ok is false for any other line.
func DecodeTitleSlot(line []byte) (_ TitleSlot, ok bool) {
	line = trimMark(line)
	if ClassifyFirst(line) != FirstTitleSlot {
		return TitleSlot{}, false
	}
	text := func(name string) string { return jsonl.LookupString(line, name) }
	return TitleSlot{Title: text("title"), Source: text("source"), UpdatedAt: text("updatedAt")}, true
}
