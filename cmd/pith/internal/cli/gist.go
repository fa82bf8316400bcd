package cli

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// gistTones are the tones of a gist in the colours of this command.
var gistTones = [...]tone{
	entryline.Plain: toneNone, entryline.Dim: toneDim, entryline.User: toneUser, entryline.Assistant: toneAssistant,
	entryline.Warning: toneWarning, entryline.Error: toneError, entryline.Note: toneNote,
}

// paintGist is a gist in the colours of a palette.
func paintGist(p palette, g entryline.Gist) string {
	return p.paint(gistTones[g.HeadTone], g.Head) + p.paint(gistTones[g.TextTone], g.Text)
}

// oneLineCells is how much of a text one line holds at most.
const oneLineCells = 200

// oneLine is text without breaks at its ends, harmless and not too long.
func oneLine(s string) string {
	return strings.TrimSpace(termsafe.Fit(strings.TrimSpace(s), oneLineCells))
}
