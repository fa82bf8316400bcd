package paint

import "strconv"

// A Tone is the meaning of a piece of text to the reader.
type Tone uint8

// The tones. Strong is bold; Dim is less important than Plain.
const (
	Plain Tone = iota
	Strong
	Dim     // facts beside a text, branches that were left
	Accent  // the current thing, keys, the focus
	Success // added, live
	Warning // labels, compactions, waiting
	Error   // removed, failed
	User    // prompts
	Heading // of a text
	Code
	Keyword // a word of a programming language
	Literal // a string or number in code
	Comment // in code
	Added   // a line that a change added
	Removed // a line that a change removed
	Cursor  // the input position
	Match   // a search match
	Found   // the current search match
	Agent1  // the agents
	Agent2
	Agent3
	Agent4
	Agent5
	Agent6
	toneCount
)

// A Depth is the number of colors of a terminal.
type Depth uint8

// The depths.
const (
	Monochrome Depth = iota // bold, faint, underline and reverse only
	Basic                   // the 16 colors that the user chose
	Full
)

// A Theme determines the look of tones.
type Theme struct {
	codes     [toneCount]string
	selection string
}

// New returns the theme for a background and a number of colors. It never paints the
// whole background.
func New(dark bool, depth Depth) *Theme {
	switch {
	case depth == Monochrome:
		return &Theme{codes: monochrome, selection: "7"}
	case depth == Basic:
		return &Theme{codes: basic, selection: "7"}
	case dark:
		return full([...]uint32{0x94928d, 0x9aabff, 0x62c88c, 0xe3b452, 0xff8d85, 0x22283f, 0x6b5510, 0xd98a00,
			0xe0825c, 0x8493ff, 0x34b8a2, 0xd6a935, 0xb78be8, 0x8f8d88})
	}
	return full([...]uint32{0x6d6a64, 0x3d51c7, 0x1a7a43, 0x8a5a00, 0xb91c28, 0xeceffc, 0xffe27a, 0xffb020,
		0xc8613c, 0x4a5bd4, 0x0d8a78, 0xb0851a, 0x8a54c4, 0x7d7b75})
}

var (
	monochrome = [toneCount]string{
		Strong: "1", Dim: "2", Accent: "1", Error: "1", User: "1", Heading: "1", Cursor: "7", Match: "4", Found: "7", Comment: "2",
	}
	basic = [toneCount]string{
		Strong: "1", Dim: "2", Accent: "34", Success: "32", Warning: "33", Error: "31", User: "1", Heading: "1", Keyword: "34", Literal: "32", Comment: "2",
		Added: "32", Removed: "31", Cursor: "7", Match: "4;30;43", Found: "7",
	}
)

// full returns a theme of 24-bit colors: meta, accent, good, attention, bad, the
// backgrounds of the selection, of a match and of the current one, and six agents.
func full(c [14]uint32) *Theme {
	at := func(layer string, v uint32) string {
		part := func(shift uint) string { return strconv.Itoa(int(v >> shift & 0xff)) }
		return layer + ";2;" + part(16) + ";" + part(8) + ";" + part(0)
	}
	fg := func(i int) string { return at("38", c[i]) }
	t := &Theme{selection: at("48", c[5])}
	t.codes = [toneCount]string{
		Strong: "1", Dim: fg(0), Accent: fg(1), Success: fg(2), Warning: fg(3), Error: fg(4), User: "1", Heading: "1", Code: fg(10), Keyword: fg(12), Literal: fg(2),
		Comment: fg(0), Added: fg(2), Removed: fg(4), Cursor: "7", Match: "4;" + at("48", c[6]), Found: "1;4;" + at("48", c[7]),
		Agent1: fg(8), Agent2: fg(9), Agent3: fg(10), Agent4: fg(11), Agent5: fg(12), Agent6: fg(13),
	}
	return t
}
