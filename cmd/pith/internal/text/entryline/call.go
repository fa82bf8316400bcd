package entryline

import (
	"fmt"
	"strconv"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// describeCall describes a tool call in brackets: what it did, to which file.
func describeCall(c *format.ToolCallBlock, shown func(string) string) string {
	args := c.Arguments
	switch c.Name {
	case "read":
		return "[read: " + oneLine(shown(pathArgument(args, ""))) + readRange(args) + "]"
	case "write", "edit":
		return "[" + c.Name + ": " + oneLine(shown(pathArgument(args, ""))) + "]"
	case "bash":
		return "[bash: " + termsafe.Fit(oneLine(argument(args, "command")), 50) + "]"
	case "grep":
		return fmt.Sprintf("[grep: /%s/ in %s]", oneLine(argument(args, "pattern")), oneLine(shown(pathArgument(args, "."))))
	case "find":
		return fmt.Sprintf("[find: %s in %s]", oneLine(argument(args, "pattern")), oneLine(shown(pathArgument(args, "."))))
	case "ls":
		return "[ls: " + oneLine(shown(pathArgument(args, "."))) + "]"
	}
	return fmt.Sprintf("[%s: %s]", oneLine(c.Name), termsafe.Fit(string(args[:min(len(args), mostRead)]), 40))
}

// argument is how the string value of a member of a call's arguments begins.
func argument(args []byte, name string) string {
	if jsonl.KindOf(args) != '{' {
		return ""
	}
	raw, _ := jsonl.Lookup(args, name)
	return beginningOf(raw, mostRead)
}

func pathArgument(args []byte, otherwise string) string {
	for _, name := range []string{"path", "file_path"} {
		if p := argument(args, name); p != "" {
			return p
		}
	}
	return otherwise
}

// readRange is the lines that a read asked for, as :start-end.
func readRange(args []byte) string {
	offset, hasOffset := numberArgument(args, "offset")
	limit, hasLimit := numberArgument(args, "limit")
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

// numberArgument also takes a number that is written as a string.
func numberArgument(args []byte, name string) (int64, bool) {
	if jsonl.KindOf(args) != '{' {
		return 0, false
	}
	raw, ok := jsonl.Lookup(args, name)
	if !ok {
		return 0, false
	}
	if s, isString := jsonl.String(raw); isString {
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	return jsonl.Int(raw)
}
