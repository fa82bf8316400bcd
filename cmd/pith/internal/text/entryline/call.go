package entryline

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// describeCall describes a tool call in brackets: what it did, to which file.
func describeCall(c *format.ToolCallBlock, shown func(string) string) string {
	switch a := argumentsOf(c.Arguments); c.Name {
	case "read":
		return "[read: " + oneLine(shown(a.file())) + a.lines() + "]"
	case "write", "edit":
		return "[" + c.Name + ": " + oneLine(shown(a.file())) + "]"
	case "bash":
		return "[bash: " + termsafe.Fit(oneLine(beginningOf(a.command, mostRead)), 50) + "]"
	case "grep":
		return fmt.Sprintf("[grep: /%s/ in %s]", oneLine(beginningOf(a.pattern, mostRead)), oneLine(shown(cmp.Or(a.file(), "."))))
	case "find":
		return fmt.Sprintf("[find: %s in %s]", oneLine(beginningOf(a.pattern, mostRead)), oneLine(shown(cmp.Or(a.file(), "."))))
	case "ls":
		return "[ls: " + oneLine(shown(cmp.Or(a.file(), "."))) + "]"
	}
	if text, isPath := toolcall.Argument(c.Arguments); text != "" {
		text = beginningOf(jsonl.AppendString(nil, text), mostRead)
		if isPath {
			text = shown(text)
		} else {
			text = termsafe.Fit(oneLine(text), 50)
		}
		if changes := toolcall.Changes(c.Arguments); changes != "" {
			text += " " + changes
		}
		return fmt.Sprintf("[%s: %s]", oneLine(c.Name), oneLine(text))
	}
	return fmt.Sprintf("[%s: %s]", oneLine(c.Name), termsafe.Fit(string(c.Arguments[:min(len(c.Arguments), mostRead)]), 40))
}

// arguments are the raw arguments of the usual tools; nil if not given.
type arguments struct{ path, filePath, command, pattern, offset, limit []byte }

var argumentNames = jsonl.NewKeys("path", "file_path", "command", "pattern", "offset", "limit")

func argumentsOf(raw []byte) arguments {
	var in [6]jsonl.Span
	if shape, _ := argumentNames.Scan(raw, in[:]); shape != jsonl.Object {
		return arguments{}
	}
	return arguments{in[0].Of(raw), in[1].Of(raw), in[2].Of(raw), in[3].Of(raw), in[4].Of(raw), in[5].Of(raw)}
}

func (a *arguments) file() string {
	return cmp.Or(beginningOf(a.path, mostRead), beginningOf(a.filePath, mostRead))
}

// lines returns the lines that a read requested, as :start-end.
func (a *arguments) lines() string {
	offset, hasOffset := number(a.offset)
	limit, hasLimit := number(a.limit)
	if !hasOffset && !hasLimit {
		return ""
	}
	if !hasOffset {
		offset = 1
	}
	if !hasLimit {
		return fmt.Sprintf(":%d", offset)
	}
	return fmt.Sprintf(":%d-%d", offset, offset+limit-1)
}

// number also accepts a number that is written as a string.
func number(raw []byte) (int64, bool) {
	if s, isString := jsonl.String(raw); isString {
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	return jsonl.Int(raw)
}
