package paint

// A Tone is the meaning of a piece of text to the reader.
type Tone uint8

// The tones. Strong is bold; Muted and Dim are less important than Plain, Dim
// least of all.
const (
	Plain Tone = iota
	Strong
	Muted
	Dim
	Accent
	Success
	Warning
	Error
	Note    // extension messages, compactions
	User    // user messages
	Heading // of a text
	Code
	Keyword // a word of a programming language
	Literal // a string or number in code
	Comment // in code
	Added   // a line that a change added
	Removed // a line that a change removed
	Cursor  // the input position
	Match   // a search match
	toneCount
)

// A Theme determines the look of tones.
type Theme struct {
	// Colour is false if the terminal or the user wants no colors. Bold and
	// reverse remain, because a selection must be visible.
	Colour bool
	// Dark is whether the terminal's background is dark.
	Dark bool

	codes     [toneCount]string
	selection string
}

// New returns the theme for a background, with or without colors.
func New(dark, colour bool) *Theme {
	t := &Theme{Colour: colour, Dark: dark, codes: colourless, selection: "7"}
	switch {
	case colour && dark:
		t.codes, t.selection = onDark, "48;5;237"
	case colour:
		t.codes, t.selection = onLight, "48;5;253"
	}
	return t
}

// The codes are those of the 256 colors that all terminals support; the basic
// ones are chosen by the user and may lack contrast.
var (
	colourless = [toneCount]string{
		Strong: "1", Heading: "1", Cursor: "7", Match: "1;4", Error: "1", User: "1",
	}
	onDark = [toneCount]string{
		Strong: "1", Muted: "38;5;246", Dim: "38;5;244", Accent: "38;5;80", Success: "38;5;114",
		Warning: "38;5;221", Error: "38;5;203", Note: "38;5;176", User: "1;38;5;80", Heading: "1;38;5;221",
		Code: "38;5;152", Keyword: "38;5;176", Literal: "38;5;150", Comment: "38;5;244", Added: "38;5;114", Removed: "38;5;203", Cursor: "7", Match: "1;38;5;16;48;5;221",
	}
	onLight = [toneCount]string{
		Strong: "1", Muted: "38;5;241", Dim: "38;5;245", Accent: "38;5;30", Success: "38;5;28",
		Warning: "38;5;130", Error: "38;5;160", Note: "38;5;90", User: "1;38;5;24", Heading: "1;38;5;130",
		Code: "38;5;24", Keyword: "38;5;90", Literal: "38;5;28", Comment: "38;5;241", Added: "38;5;28", Removed: "38;5;160", Cursor: "7", Match: "1;38;5;16;48;5;220",
	}
)
