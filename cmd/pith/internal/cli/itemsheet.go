package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A bufferPrinter collects what is printed.
type bufferPrinter struct{ bytes.Buffer }

func (b *bufferPrinter) print(s string) { b.WriteString(s) }

// An itemSheet prints exchanges for reading. Brief means that thinking and the
// output of tools are shortened to a few lines.
type itemSheet struct {
	sheet
	brief bool
	entry inspect.Text // whose heading was printed last
	begun bool         // there was a heading in this exchange
	runs  runTeller    // nil tells nothing of subagents
}

// A runTeller tells in lines what the subagents did that a tool ran.
type runTeller func(it *inspect.Item) []string

// exchange prints an exchange. gap stands for what is left out after the user's
// message; "" is nothing.
func (c *itemSheet) exchange(x *inspect.Exchange, gap string) {
	c.begun = false
	for i := range x.Items {
		if gap != "" && x.Items[i].Kind != inspect.User {
			c.line(toneDim, gap)
			gap = ""
		}
		c.item(x, &x.Items[i])
	}
	if gap != "" {
		c.line(toneDim, gap)
	}
}

func (c *itemSheet) item(x *inspect.Exchange, it *inspect.Item) {
	if it.Kind == inspect.Jump {
		where := "from the beginning"
		if it.Target != "" {
			where = "from " + oneLine(string(it.Target))
		}
		c.out.print("\n" + c.colors.paint(toneWarning, "══ "+where) + "\n")
		return
	}
	if !c.begun || c.entry != it.EntryID {
		c.begin(x, it)
	}
	c.begun, c.entry = true, it.EntryID
	switch it.Kind {
	case inspect.Thinking:
		c.thinking(it)
	case inspect.ToolUse:
		c.tool(it)
	case inspect.Failure:
		c.line(toneError, "! "+oneLine(string(it.Text)))
	case inspect.Shell:
		c.text("$ " + string(it.Bash.Command))
		c.quiet("  ", toneDim, string(it.Text), it.LeftOut)
	case inspect.System, inspect.State, inspect.Spending, inspect.Other:
		c.quiet("  ", toneDim, string(it.Text), it.LeftOut)
	default:
		if it.Image != nil {
			c.line(toneNote, "["+describeImage(it.Image)+"]")
			return
		}
		c.text(string(it.Text))
		c.leftOut("  ", it.LeftOut)
	}
}

// begin prints the heading of the entry that an item is the first of.
func (c *itemSheet) begin(x *inspect.Exchange, it *inspect.Item) {
	t, what, about := headingOf(it)
	if it.Kind == inspect.User && x.Number > 0 && it.EntryID == x.EntryID {
		what = fmt.Sprintf("user %d", x.Number)
	}
	var facts []string
	for _, fact := range []string{about, oneLine(string(it.EntryID)), humanize.Moment(it.Time.Time)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	if !c.brief && it.Spent != nil {
		facts = append(facts, humanize.Number(it.Spent.Tokens)+" tokens", humanize.Dollars(it.Spent.Cost.Micros()))
	}
	c.heading(t, what, facts, oneLine(string(it.Label)))
}

// headingOf says in what tone an item is announced, what it is, and about what.
func headingOf(it *inspect.Item) (t tone, what, about string) {
	name := oneLine(string(it.Name))
	target := oneLine(string(it.Target))
	switch it.Kind {
	case inspect.User:
		return toneUser, "user", ""
	case inspect.Answer, inspect.Thinking, inspect.Failure:
		return toneAssistant, "assistant", oneLine(string(it.Model))
	case inspect.ToolUse:
		return toolHeading(it)
	case inspect.Shell:
		return toneNote, "bash", bashAbout(it)
	case inspect.Custom:
		if it.Hidden {
			return toneNote, cmp.Or(name, "custom"), "for the model"
		}
		return toneNote, cmp.Or(name, "custom"), "for the model and the user"
	case inspect.Compaction:
		about := "of " + humanize.Number(it.TokensBefore) + " tokens"
		if target != "" {
			about += ", keeps from " + target + " on"
		}
		return toneNote, "compaction", about
	case inspect.BranchSummary:
		return toneWarning, "branch summary", "left at " + target
	case inspect.Label:
		return toneDim, "label", cmp.Or(name, "(cleared)") + " on " + target
	case inspect.ContextEdit:
		if it.Hidden {
			return toneDim, "context edit", "hides " + target + " from the model"
		}
		return toneDim, "context edit", "replaces " + target + " for the model"
	}
	return plainHeading(it, name)
}

// plainHeading is headingOf for what has nothing but a name.
func plainHeading(it *inspect.Item, name string) (t tone, what, about string) {
	switch it.Kind {
	case inspect.Name:
		return toneDim, "name", cmp.Or(name, "(cleared)")
	case inspect.ModelChange:
		return toneDim, "model", name
	case inspect.ThinkingLevel:
		return toneDim, "thinking", name
	case inspect.State:
		return toneDim, "state", name
	case inspect.Spending:
		return toneDim, "usage", name
	case inspect.System:
		return toneDim, "system", ""
	}
	return toneDim, cmp.Or(name, "unknown"), ""
}

func toolHeading(it *inspect.Item) (tone, string, string) {
	if !it.Tool.Orphan {
		return toneAssistant, "assistant", oneLine(string(it.Model))
	}
	what := cmp.Or(oneLine(string(it.Name)), "tool")
	if it.Tool.Result.IsError {
		return toneError, what, "error without a call here"
	}
	return toneDim, what, "result without a call here"
}

func bashAbout(it *inspect.Item) string {
	about := "by the user"
	if it.Hidden {
		about += ", not for the model"
	}
	switch {
	case it.Bash.Cancelled:
		about += ", cancelled"
	case it.Bash.ExitCode != nil && *it.Bash.ExitCode != 0:
		about += fmt.Sprintf(", exit code %d", *it.Bash.ExitCode)
	}
	return about
}

func (c *itemSheet) thinking(it *inspect.Item) {
	switch {
	case it.Hidden:
		c.line(toneDim, "(thinking, encrypted)")
	case c.brief:
		c.beginning("  ", toneDim, "thinking: ", string(it.Text), thinkingLines, linesOf(it.LeftOut))
	case strings.TrimSpace(string(it.Text)) != "":
		c.line(toneDim, "thinking:")
		c.indented("    ", toneDim, string(it.Text))
		c.leftOut("    ", it.LeftOut)
	}
}

// quiet prints what is not the conversation itself.
func (c *itemSheet) quiet(margin string, t tone, text string, left *inspect.Cut) {
	if c.brief {
		c.beginning(margin, t, "", text, resultLines, linesOf(left))
		return
	}
	c.indented(margin, t, text)
	c.leftOut(margin, left)
}

func linesOf(left *inspect.Cut) int {
	if left == nil {
		return 0
	}
	return left.Lines
}

// leftOut says how much of a text is missing.
func (c *itemSheet) leftOut(margin string, left *inspect.Cut) {
	if left != nil {
		c.lineBehind(margin, toneDim, "… "+humanize.Count(left.Characters, "more character")+"; --max-content 0 shows all")
	}
}

// tool prints a call and, set in below it, its result.
func (c *itemSheet) tool(it *inspect.Item) {
	tool := it.Tool
	if !tool.Orphan {
		c.call(it)
	}
	r := tool.Result
	if r == nil {
		c.lineBehind("    ", toneWarning, "(no result)")
		return
	}
	if !c.brief && !tool.Orphan || r.Label != "" {
		c.resultLine(r)
	}
	t := toneDim
	if r.IsError {
		t = toneError
		if c.brief || tool.Orphan {
			c.lineBehind("    ", t, "error:")
		}
	}
	c.quiet("    ", t, string(r.Text), r.LeftOut)
	for i := range r.Images {
		c.lineBehind("    ", toneNote, "["+describeImage(&r.Images[i])+"]")
	}
	if c.runs != nil {
		for _, line := range c.runs(it) {
			c.indented("    ", toneNote, line)
		}
	}
}

// resultLine tells of a result what is not its text.
func (c *itemSheet) resultLine(r *inspect.Result) {
	line := "← result"
	if r.IsError {
		line = "← error"
	}
	facts := []string{line, oneLine(string(r.EntryID)), humanize.Moment(r.Time.Time)}
	if r.DurationMs > 0 {
		facts = append(facts, fmt.Sprintf("%.1f s", float64(r.DurationMs)/1000))
	}
	if r.Spent != nil {
		facts = append(facts, humanize.Number(r.Spent.Tokens)+" tokens", humanize.Dollars(r.Spent.Cost.Micros()))
	}
	if r.Label != "" {
		facts = append(facts, "["+oneLine(string(r.Label))+"]")
	}
	c.line(toneDim, strings.Join(facts, " · "))
}

// call prints a call on one line, or when it is not to be shortened and does not
// fit, a line for each argument.
func (c *itemSheet) call(it *inspect.Item) {
	args := it.Tool.Arguments
	name := oneLine(string(it.Name))
	if c.brief || len(args) <= 160 && !bytes.ContainsAny(args, "\\") || jsonl.KindOf(args) != '{' {
		if c.brief {
			c.line(toneNone, "→ "+name+" "+termsafe.Fit(string(args), longestLine))
			return
		}
		c.indented("  ", toneNone, "→ "+name+" "+termsafe.Line(string(args)))
		return
	}
	c.line(toneNone, "→ "+name)
	for key, value := range jsonl.Members(args) {
		k, _ := jsonl.String(key)
		text, isString := jsonl.String(value)
		if !isString {
			text = string(value)
		}
		if strings.Contains(text, "\n") {
			c.indented("    ", toneNone, oneLine(k)+":")
			c.indented("      ", toneNone, text)
			continue
		}
		c.indented("    ", toneNone, oneLine(k)+": "+text)
	}
}

// describeImage is a picture in words.
func describeImage(i *inspect.Image) string {
	kind := oneLine(cmp.Or(string(i.MimeType), "unknown type"))
	if i.Reference != "" {
		return fmt.Sprintf("image %s, %s", kind, termsafe.Fit(string(i.Reference), 40))
	}
	return fmt.Sprintf("image %s, %s", kind, humanize.Bytes(i.Bytes))
}
