package show

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// An itemSheet prints turns for people. Brief shortens thinking and tool
// output to a few lines.
type itemSheet struct {
	layout.Sheet
	brief   bool
	apart   bool                // results are separate from their calls, as models see them
	path    func(string) string // shortens the path of a file
	entry   inspect.Text        // the entry whose heading was printed last
	started bool                // this turn has a heading
	runs    runTeller           // nil omits subagents
}

// A runTeller describes, in lines, the subagents that a tool ran.
type runTeller func(it *inspect.Item) []string

// turn prints a turn. gap replaces the omitted part after the user
// message; "" means that nothing is omitted.
func (c *itemSheet) turn(x *inspect.Turn, gap string) {
	c.started = false
	for i := range x.Items {
		if gap != "" && x.Items[i].Kind != inspect.User {
			c.Line(tone.Dim, gap)
			gap = ""
		}
		c.item(x, &x.Items[i])
	}
	if gap != "" {
		c.Line(tone.Dim, gap)
	}
}

func (c *itemSheet) item(x *inspect.Turn, it *inspect.Item) {
	if it.Kind == inspect.Jump {
		where := "from the start"
		if it.Target != "" {
			where = "from " + layout.OneLine(string(it.Target))
		}
		c.Out.Print("\n" + c.Colors.Paint(tone.Warning, "══ "+where) + "\n")
		return
	}
	if !c.started || c.entry != it.EntryID {
		c.begin(x, it)
	}
	c.started, c.entry = true, it.EntryID
	switch it.Kind {
	case inspect.Thinking:
		c.thinking(it)
	case inspect.ToolUse:
		c.tool(it)
	case inspect.Failure:
		c.Line(tone.Error, "! "+layout.OneLine(string(it.Text)))
	case inspect.Shell:
		c.Text("$ " + string(it.Bash.Command))
		c.quiet("  ", tone.Dim, string(it.Text), it.LeftOut)
	case inspect.System, inspect.State, inspect.Spending, inspect.Other:
		c.quiet("  ", tone.Dim, string(it.Text), it.LeftOut)
	default:
		if it.Image != nil {
			c.Line(tone.Note, "["+describeImage(it.Image)+"]")
			return
		}
		c.Text(string(it.Text))
		c.leftOut("  ", it.LeftOut)
	}
}

// begin prints the heading of an entry, before its first item.
func (c *itemSheet) begin(x *inspect.Turn, it *inspect.Item) {
	t, what, about := headingOf(it)
	if c.apart {
		what, about = apartHeading(it, what, about)
	}
	if it.Kind == inspect.User && x.Number > 0 && it.EntryID == x.EntryID {
		what = fmt.Sprintf("user %d", x.Number)
	}
	facts := layout.NonEmpty(about, layout.OneLine(string(it.EntryID)), humanize.Moment(it.Time.Time))
	if !c.brief && it.Spent != nil {
		facts = append(facts, layout.NonEmpty(humanize.Number(it.Spent.Tokens)+" tokens", amount.Cost(it.Spent.Spent))...)
	}
	c.Heading(t, what, facts, layout.OneLine(string(it.Label)))
}

// headingOf returns the tone, kind and subject of an item's heading.
func headingOf(it *inspect.Item) (t tone.Tone, what, about string) {
	name := layout.OneLine(string(it.Name))
	target := layout.OneLine(string(it.Target))
	switch it.Kind {
	case inspect.User:
		return tone.User, "user", ""
	case inspect.Response, inspect.Thinking, inspect.Failure:
		return tone.Assistant, "assistant", layout.OneLine(string(it.Model))
	case inspect.ToolUse:
		return toolHeading(it)
	case inspect.Shell:
		return tone.Note, "bash", bashAbout(it)
	case inspect.Custom:
		if it.Hidden {
			return tone.Note, cmp.Or(name, "custom"), "for the model"
		}
		return tone.Note, cmp.Or(name, "custom"), "for the model and the user"
	case inspect.Compaction:
		about := "of " + humanize.Number(it.TokensBefore) + " tokens"
		if target != "" {
			about += ", keeps from " + target + " on"
		}
		return tone.Note, "compaction", about
	case inspect.BranchSummary:
		if target == "" {
			return tone.Warning, "branch summary", ""
		}
		return tone.Warning, "branch summary", "left at " + target
	case inspect.Label:
		return tone.Dim, "label", cmp.Or(name, "(cleared)") + " on " + target
	case inspect.ContextEdit:
		if it.Hidden {
			return tone.Dim, "context edit", "hides " + target + " from the model"
		}
		return tone.Dim, "context edit", "replaces " + target + " for the model"
	case inspect.Name:
		return tone.Dim, "name", cmp.Or(name, "(cleared)")
	case inspect.System:
		return tone.Dim, "system", ""
	case inspect.ModelChange, inspect.ThinkingLevel, inspect.State, inspect.Spending:
		return tone.Dim, plainHeadings[it.Kind], name
	}
	return tone.Dim, cmp.Or(name, "unknown"), ""
}

// plainHeadings are the headings of items that have only a name.
var plainHeadings = map[inspect.Kind]string{
	inspect.ModelChange: "model", inspect.ThinkingLevel: "thinking", inspect.State: "state", inspect.Spending: "usage",
}

// apartHeading returns the heading of a message in a context, where an entry's
// place in the session means nothing.
func apartHeading(it *inspect.Item, what, about string) (string, string) {
	switch it.Kind {
	case inspect.Compaction:
		return "compaction summary", ""
	case inspect.BranchSummary, inspect.Custom:
		return what, ""
	case inspect.ToolUse:
		if it.Tool.Orphan && it.Tool.Result.IsError {
			return what, "error"
		}
		if it.Tool.Orphan {
			return what, "result"
		}
	}
	return what, about
}

func toolHeading(it *inspect.Item) (tone.Tone, string, string) {
	if !it.Tool.Orphan {
		return tone.Assistant, "assistant", layout.OneLine(string(it.Model))
	}
	what := cmp.Or(layout.OneLine(string(it.Name)), "tool")
	if it.Tool.Result.IsError {
		return tone.Error, what, "error without a call"
	}
	return tone.Dim, what, "result without a call"
}

func bashAbout(it *inspect.Item) string {
	about := "by the user"
	if it.Hidden {
		about += ", not for the model"
	}
	switch {
	case it.Bash.Cancelled:
		about += ", canceled"
	case it.Bash.ExitCode != nil && *it.Bash.ExitCode != 0:
		about += fmt.Sprintf(", exit code %d", *it.Bash.ExitCode)
	}
	return about
}

func (c *itemSheet) thinking(it *inspect.Item) {
	switch {
	case it.Hidden:
		c.Line(tone.Dim, "(thinking, encrypted)")
	case c.brief:
		c.Beginning("  ", tone.Dim, "thinking: ", string(it.Text), layout.ThinkingLines, linesOf(it.LeftOut))
	case strings.TrimSpace(string(it.Text)) != "":
		c.Line(tone.Dim, "thinking:")
		c.Indented("    ", tone.Dim, string(it.Text))
		c.leftOut("    ", it.LeftOut)
	}
}

// quiet prints text that is not part of the conversation itself.
func (c *itemSheet) quiet(margin string, t tone.Tone, text string, left *inspect.Cut) {
	if c.brief {
		c.Beginning(margin, t, "", text, layout.ResultLines, linesOf(left))
		return
	}
	c.Indented(margin, t, text)
	c.leftOut(margin, left)
}

func linesOf(left *inspect.Cut) int {
	if left == nil {
		return 0
	}
	return left.Lines
}

// leftOut prints how much of a text is omitted.
func (c *itemSheet) leftOut(margin string, left *inspect.Cut) {
	if left != nil {
		c.LineBehind(margin, tone.Dim, "… "+humanize.Count(left.Characters, "more character")+"; --max-chars 0 shows all")
	}
}

// tool prints a call and its result, indented below it.
func (c *itemSheet) tool(it *inspect.Item) {
	tool := it.Tool
	if !tool.Orphan {
		c.call(it)
	}
	r := tool.Result
	if c.apart {
		if r != nil {
			c.resultText("  ", tone.Dim, r)
		}
		return
	}
	if r == nil {
		c.LineBehind("    ", tone.Warning, "(no result)")
		return
	}
	if !c.brief && !tool.Orphan || r.Label != "" {
		c.resultLine(r)
	}
	t := tone.Dim
	if r.IsError {
		t = tone.Error
		if c.brief || tool.Orphan {
			c.LineBehind("    ", t, "error:")
		}
	}
	c.resultText("    ", t, r)
	if c.runs != nil {
		for _, line := range c.runs(it) {
			c.Indented("    ", tone.Note, line)
		}
	}
}

// resultText prints the text and images of a tool result after a margin.
func (c *itemSheet) resultText(margin string, t tone.Tone, r *inspect.Result) {
	c.quiet(margin, t, string(r.Text), r.LeftOut)
	for i := range r.Images {
		c.LineBehind(margin, tone.Note, "["+describeImage(&r.Images[i])+"]")
	}
}

// resultLine prints the facts of a result.
func (c *itemSheet) resultLine(r *inspect.Result) {
	line := "← result"
	if r.IsError {
		line = "← error"
	}
	facts := []string{line, layout.OneLine(string(r.EntryID)), humanize.Moment(r.Time.Time)}
	if r.DurationMs > 0 {
		facts = append(facts, fmt.Sprintf("%.1f s", float64(r.DurationMs)/1000))
	}
	if r.Spent != nil {
		facts = append(facts, layout.NonEmpty(humanize.Number(r.Spent.Tokens)+" tokens", amount.Cost(r.Spent.Spent))...)
	}
	if r.Label != "" {
		facts = append(facts, "["+layout.OneLine(string(r.Label))+"]")
	}
	c.Line(tone.Dim, strings.Join(facts, " · "))
}

// call prints a call: in brief on one line, otherwise with all its arguments.
func (c *itemSheet) call(it *inspect.Item) {
	head := "→ " + layout.OneLine(string(it.Name))
	if c.brief {
		c.Line(tone.None, head+" "+termsafe.Fit(toolcall.Line(string(it.Name), it.Tool.Arguments, c.path), layout.LongestLine))
		return
	}
	text := strings.TrimRight(toolcall.Text(it.Tool.Arguments), "\n")
	if !strings.Contains(text, "\n") {
		c.Indented("  ", tone.None, head+" "+text)
		return
	}
	c.Line(tone.None, head)
	c.Indented("    ", tone.None, text)
}

// describeImage describes an image in words.
func describeImage(i *inspect.Image) string {
	kind := layout.OneLine(cmp.Or(string(i.MimeType), "unknown type"))
	if i.Reference != "" {
		return fmt.Sprintf("image %s, %s", kind, termsafe.Fit(string(i.Reference), 40))
	}
	return fmt.Sprintf("image %s, %s", kind, humanize.Bytes(i.Bytes))
}
