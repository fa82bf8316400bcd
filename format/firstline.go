package format

import "github.com/pith-sessions/pith/internal/jsonl"

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

// DecodeTitleSlot returns the title in the slot that oh-my-pi keeps before the
// header and overwrites in place. It takes precedence over the header's. ok is
// false for any other line.
func DecodeTitleSlot(line []byte) (title string, ok bool) {
	line = trimMark(line)
	if ClassifyFirst(line) != FirstTitleSlot {
		return "", false
	}
	return jsonl.LookupString(line, "title"), true
}
