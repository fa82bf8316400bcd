package chat

import (
	"context"
	"errors"
	"strings"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/edit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/entrytree"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/share"
	"github.com/pith-sessions/pith/cmd/pith/internal/slash"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/sessionstats"
)

// errLeave ends a chat.
var errLeave = errors.New("leave")

// An action executes a command; rest is the text after its name.
type action = func(c *chat, ctx context.Context, rest string) error

// chatCommands returns the commands in the order of the help.
func chatCommands() slash.Table[action] {
	return slash.Table[action]{
		{Name: "resume", Arguments: "[SESSION]", About: "switch to another session; without one, list the sessions of this project", Do: (*chat).resume},
		{Name: "tree", Arguments: "[ENTRY [--summarize [TEXT]]]", About: "show the tree, or continue from an entry, with a summary of the branch you leave", Do: (*chat).tree},
		{Name: "fork", Arguments: "[ENTRY]", About: "start a new session before one of your messages; without one, list them", Do: (*chat).fork},
		{Name: "clone", About: "copy the conversation up to here into a new session", Do: (*chat).clone},
		{Name: "name", Arguments: "[TEXT]", About: "show or set the name of the session", Do: (*chat).name},
		{Name: "session", About: "show message counts, tokens and cost", Do: (*chat).stats},
		{Name: "new", About: "start a new session", Do: (*chat).begin},
		{Name: "compact", Arguments: "[TEXT]", About: "summarize the older part of the conversation; TEXT is instructions for the summary", Do: (*chat).compact},
		{Name: "label", Arguments: "[ENTRY] [TEXT]", About: "show or set the label of an entry (default: the current one); - removes it", Do: (*chat).label},
		{Name: "model", Arguments: "[PROVIDER/ID]", About: "list the models, or switch to another", Do: (*chat).model},
		{Name: "thinking", Arguments: "[LEVEL]", About: "show or set the thinking level", Do: (*chat).thinking},
		{Name: "export", Arguments: "[FILE [--yes]]", About: "export as HTML, .md or .jsonl, with secrets replaced; asks first", Do: (*chat).export},
		{Name: "help", About: "show this list", Do: (*chat).help},
		{Name: "quit", About: "quit; so does Ctrl+D", Do: func(*chat, context.Context, string) error { return errLeave }},
	}
}

// command executes a line that starts with a slash.
func (c *chat) command(ctx context.Context, line string) error {
	name, rest := slash.Split(line)
	if known := chatCommands().Find(name); known != nil {
		return known.Do(c, ctx, rest)
	}
	return exit.Usagef("unknown command /%s; /help lists them. To send a message that starts with a slash, put a space first", name)
}

func (c *chat) help(context.Context, string) error {
	for _, known := range chatCommands() {
		c.Out.Printf("%s  %s\n", termsafe.Pad(known.Usage(), 38), known.About)
	}
	return nil
}

func (c *chat) resume(ctx context.Context, ref string) error {
	if ref == "" {
		infos, all, err := c.Nearest(ctx)
		if err != nil {
			return err
		}
		(&list.Commands{Sessions: c.Sessions}).PrintNearest(ctx, infos, all)
		return nil
	}
	info, err := c.Locate(ctx, ref)
	if err != nil {
		return err
	}
	return c.replaced(c.conv.Switch(ctx, info.Path))
}

func (c *chat) clone(ctx context.Context, _ string) error { return c.replaced(c.conv.Clone(ctx)) }

func (c *chat) begin(ctx context.Context, _ string) error {
	return c.replaced(c.conv.New(ctx, agent.NewOptions{}))
}

func (c *chat) fork(ctx context.Context, ref string) error {
	if ref == "" {
		return c.showTree(ctx, "user-only")
	}
	id, err := lookup.EntryOf(c.conv.Session(), ref)
	if err != nil {
		return err
	}
	return c.replaced(c.conv.Fork(ctx, id))
}

// replaced prints the session that replaced the previous one, and the text to
// say again.
func (c *chat) replaced(r agent.Replacement, err error) error {
	if err != nil {
		return err
	}
	s := c.conv.Session()
	c.Out.Printf("session  %s\n", termsafe.Line(s.ID()))
	c.takenBack(r.EditorText)
	return nil
}

func (c *chat) takenBack(text string) {
	if text != "" {
		c.Out.Print("restored text:\n" + termsafe.Text(text) + "\n")
	}
}

func (c *chat) tree(ctx context.Context, rest string) error {
	ref, more, _ := strings.Cut(rest, " ")
	if ref == "" {
		return c.showTree(ctx, "default")
	}
	s := c.conv.Session()
	id, err := lookup.EntryOf(s, ref)
	if err != nil {
		return err
	}
	o := agent.NavigateOptions{}
	if more = strings.TrimSpace(more); more != "" {
		words, ok := strings.CutPrefix(more, "--summarize")
		if !ok {
			return exit.Usagef("unexpected %q after the entry; use --summarize [TEXT]", more)
		}
		o.Summarize, o.Instructions = true, strings.TrimSpace(words)
	}
	done, err := c.conv.Navigate(ctx, id, o)
	if err != nil {
		return err
	}
	if done.Aborted {
		return agent.ErrAborted
	}
	at, err := change.Position(s)
	if err != nil {
		return err
	}
	c.Out.Printf("at  %s\n", c.Describe(s, at))
	c.takenBack(done.EditorText)
	return nil
}

func (c *chat) showTree(ctx context.Context, filter string) error {
	s := c.conv.Session()
	t, err := entrytree.Read(ctx, s, entrytree.Filtered(outline.Filter(filter)), c.ShortPath)
	if err != nil {
		return err
	}
	return t.Print(ctx, c.Out, c.Colors, c.Width(), t.All())
}

func (c *chat) name(ctx context.Context, text string) error {
	if text != "" {
		if err := c.conv.SetName(ctx, text); err != nil {
			return err
		}
	}
	if name := c.conv.Session().Name(); name != "" {
		c.Out.Print(termsafe.Line(name) + "\n")
	}
	return nil
}

func (c *chat) label(ctx context.Context, rest string) error {
	s := c.conv.Session()
	id, err := slash.Label(ctx, s, rest)
	if err != nil {
		return err
	}
	return (&edit.Commands{Conversations: c.Conversations}).PrintLabel(s, id, false)
}

func (c *chat) model(ctx context.Context, name string) error {
	if name == "" {
		names, now := slash.Models(c.conv, c.own)
		for i, name := range names {
			mark := "  "
			if i == now {
				mark = "* "
			}
			c.Out.Print(mark + termsafe.Line(name) + "\n")
		}
		return nil
	}
	return askmodel.ChoiceError(slash.SetModel(ctx, c.conv, c.own, name))
}

func (c *chat) thinking(ctx context.Context, level string) error {
	if level == "" {
		c.Out.Print(c.conv.Thinking() + "\n")
		return nil
	}
	err := slash.SetThinking(ctx, c.conv, level)
	if wrong := (*slash.LevelError)(nil); errors.As(err, &wrong) {
		return exit.AsUsage(err)
	}
	return err
}

func (c *chat) compact(ctx context.Context, words string) error {
	done, err := c.conv.Compact(ctx, words)
	if err != nil {
		return askmodel.Unchanged(ctx, "compact", err)
	}
	c.Out.Printf("compacted: %s tokens before, about %s now\n", humanize.Number(done.TokensBefore), humanize.Number(done.EstimatedTokensAfter))
	return nil
}

func (c *chat) export(ctx context.Context, text string) error {
	var answer func(context.Context) (string, error)
	if c.person {
		answer = c.next
	}
	return (&share.Commands{Sessions: c.Sessions}).ExportOpen(ctx, c.conv.Session(), text, answer)
}

func (c *chat) stats(context.Context, string) error {
	st, err := sessionstats.Of(c.conv)
	if err != nil {
		return err
	}
	c.Out.Printf("session   %s\n", termsafe.Line(st.ID))
	if st.Name != "" {
		c.Out.Printf("name      %s\n", termsafe.Line(st.Name))
	}
	c.Out.Printf("file      %s\n", termsafe.Line(st.File))
	c.Out.Printf("messages  %d yours, %s, %s\n", st.UserMessages, humanize.Count(st.AssistantMessages, "response"), humanize.Count(st.ToolCalls, "tool call"))
	c.Out.Printf("tokens    %s in, %s out, %s cache read, %s cache write\n", humanize.Number(st.Tokens.Input), humanize.Number(st.Tokens.Output),
		humanize.Number(st.Tokens.CacheRead), humanize.Number(st.Tokens.CacheWrite))
	c.Out.Printf("cost      %s\n", humanize.Dollars(st.CostMicros))
	if u := st.Context; u != nil {
		about := ""
		if !u.Known {
			about = "about " // pitfall 107
		}
		c.Out.Printf("context   %s%s of %s tokens (%.0f%%)\n", about, humanize.Number(u.Tokens), humanize.Number(u.Window), u.Percent)
	}
	return nil
}
