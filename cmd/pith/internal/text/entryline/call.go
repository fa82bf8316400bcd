package entryline

import (
	"fmt"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// describeCall describes a tool call in brackets: what it did, to which file.
func describeCall(c *format.ToolCallBlock, shown func(string) string) string {
	most := mostCells
	switch text, isPath := toolcall.Argument(c.Arguments); {
	case text == "":
		most = 40
	case !isPath:
		most = 50
	}
	about := beginningOf(jsonl.AppendString(nil, toolcall.Line(c.Name, c.Arguments, shown)), mostRead)
	return fmt.Sprintf("[%s: %s]", oneLine(c.Name), termsafe.Fit(oneLine(about), most))
}
