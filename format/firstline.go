package format

import (
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A FirstLine says what the first parsable line of a file is.
type FirstLine uint8

const (
	// FirstOther is the first line of a file that is no session.
	FirstOther FirstLine = iota
	// FirstHeader is a session header.
	FirstHeader
	// FirstTitleSlot is oh-my-pi's title slot; the header is the next line.
	FirstTitleSlot
	// FirstV4 is the header of format version 4 or above, as pi-agent-core writes
	// it. This package cannot read what follows.
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

// ClassifyFirst says what the first line of a file is. line must be valid JSON; a
// byte order mark before it does not count.
func ClassifyFirst(line []byte) FirstLine {
	first, err := scanFirst(trimMark(line))
	if err != nil {
		return FirstOther
	}
	return first
}

// scanFirst classifies a line without a mark. The error says why it is not a JSON
// object.
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

// A TitleSlot is the line of fixed size that oh-my-pi keeps before the header and
// overwrites in place. Its title counts more than the header's.
type TitleSlot struct {
	Title     string
	Source    string // "auto" or "user", empty when not said
	UpdatedAt string
}

// TitleSlotSize is the length of a title slot, its line feed included. oh-my-pi finds
// the header behind it by that.
const TitleSlotSize = 256

// AppendTitleSlot writes a title slot as oh-my-pi does, its line feed included:
// [TitleSlotSize] bytes. A title that is too long loses its end.
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

// DecodeTitleSlot reads a title slot. ok is false for any other line.
func DecodeTitleSlot(line []byte) (slot TitleSlot, ok bool) {
	line = trimMark(line)
	if ClassifyFirst(line) != FirstTitleSlot {
		return TitleSlot{}, false
	}
	for key, raw := range jsonl.Members(line) {
		switch string(nameOf(key)) {
		case "title":
			slot.Title = asString(raw)
		case "source":
			slot.Source = asString(raw)
		case "updatedAt":
			slot.UpdatedAt = asString(raw)
		}
	}
	return slot, true
}
