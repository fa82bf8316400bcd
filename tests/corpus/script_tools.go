package corpus

import (
	"fmt"
	"strings"
)

// tool makes a call block; arguments are JSON. The call waits for a result.
func (s *script) tool(name, arguments string) block {
	g := generator{r: s.r, out: &output{}}
	g.digits(base62Digits, 22)
	c := call{id: s.model.callPrefix + string(g.out.buf), tool: name}
	s.pending = append(s.pending, c)
	return block(fmt.Sprintf(`{"type":"toolCall","id":%s,"name":%s,"arguments":%s}`, js(c.id), js(name), arguments))
}

func (s *script) bash(command string) block { return s.tool("bash", `{"command":`+js(command)+`}`) }

func (s *script) read(file string) block { return s.tool("read", `{"path":`+js(file)+`}`) }

func (s *script) write(file, content string) block {
	return s.tool("write", `{"path":`+js(file)+`,"content":`+js(content)+`}`)
}

func (s *script) edit(file, old, replacement string) block {
	return s.tool("edit", fmt.Sprintf(`{"path":%s,"edits":[{"oldText":%s,"newText":%s}]}`, js(file), js(old), js(replacement)))
}

// result writes what the oldest waiting call returned.
func (s *script) result(text string) string { return s.toolResult(text, "", false) }

// failed writes that the oldest waiting call failed.
func (s *script) failed(text string) string { return s.toolResult(text, "", true) }

// edited writes the result of an edit with its diff.
func (s *script) edited(file string, firstLine int, diff string) string {
	details := fmt.Sprintf(`,"details":{"diff":%s,"firstChangedLine":%d}`, js(diff), firstLine)
	return s.toolResult("Successfully replaced 1 block(s) in "+file+".", details, false)
}

func (s *script) toolResult(text, details string, isError bool) string {
	c := s.pending[0]
	s.pending = s.pending[1:]
	s.pass(4)
	s.tokens += len(text) / 4
	return s.entry("message", `"message":{"role":"toolResult","toolCallId":%s,"toolName":%s,"content":[%s]%s,"isError":%t,"timestamp":%d}`,
		js(c.id), js(c.tool), said(text), details, isError, s.now)
}

// shell writes a command that the user ran with an exclamation mark.
func (s *script) shell(command, output string, exitCode int) string {
	s.pass(40)
	return s.entry("message",
		`"message":{"role":"bashExecution","command":%s,"output":%s,"exitCode":%d,"cancelled":false,"truncated":false,"timestamp":%d}`,
		js(command), js(output), exitCode, s.now)
}

// files are the lists that a summary keeps.
type files struct{ read, modified []string }

func (f files) json() string {
	list := func(names []string) string {
		quoted := make([]string, len(names))
		for i, name := range names {
			quoted[i] = js(name)
		}
		return "[" + strings.Join(quoted, ",") + "]"
	}
	return `{"readFiles":` + list(f.read) + `,"modifiedFiles":` + list(f.modified) + `}`
}

// compact writes a compaction that keeps everything from firstKept on.
func (s *script) compact(summary, firstKept string, f files) string {
	s.pass(25)
	before := s.tokens
	s.tokens = 9400 + len(summary)/4
	return s.entry("compaction", `"summary":%s,"firstKeptEntryId":%s,"tokensBefore":%d,"details":%s,"fromHook":false`,
		js(summary), js(firstKept), before, f.json())
}

// leave goes back to an earlier entry and sums up the branch that it leaves.
func (s *script) leave(target, summary string, f files) string {
	s.pass(25)
	from := s.leaf
	s.leaf = target
	return s.entry("branch_summary", `"fromId":%s,"summary":%s,"details":%s,"fromHook":false`, js(from), js(summary), f.json())
}
