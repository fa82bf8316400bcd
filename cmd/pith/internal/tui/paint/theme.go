package paint

// A Tone is what a piece of text is to the reader.
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
	Note    // messages of extensions, compactions
	User    // what a person said
	Heading // of a text
	Code
	Keyword // a word of a programming language
	Literal // a string or number in code
	Comment // in code
	Added   // a line that a change added
	Removed // a line that a change took away
	Cursor  // the place where typed text goes
	Match   // what a search found
	toneCount
)

// A Theme says what tones look like.
type Theme struct {
	// Colour is false when the terminal or the user wants none. Bold and reverse
	// remain, because a selection must be seen.
	Colour bool
	// Dark tells what the terminal's background is.
	Dark bool

	codes     [toneCount]string
	selection string
}

// New is the theme for a background, with or without colours.
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

// The codes are of the 256 colours that every terminal has had for long; the
// basic ones are the user's own choice and may lack contrast.
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
