package housekeep

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// The words for the marks that are not tags.
const (
	pinWord     = "pin"
	archiveWord = "archive"
)

func (a *Commands) Mark() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mark [flags] [SESSION... [+MARK | -MARK]...]",
		Short: "Pin, archive or tag sessions",
		Long: `Show the marks of sessions, set marks (+MARK) or remove them (-MARK). Without a
session, list all tags. Flags go before the session. Session files are not
changed.

  pin       pith ls lists the session first, and pith gc never removes it
  archive   pith ls lists it with archived:yes only; other commands find it
  any other word is a tag`,
		Example: `  pith mark @ +pin
  pith mark 0199a 0199b +archive
  pith mark @ +bug -draft
  pith mark`,
		Args:                  flags.Takes(0, -1, -1),
		ValidArgsFunction:     a.completeMark,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listTags(a.JSON)
			}
			return a.mark(cmd.Context(), args, a.JSON)
		},
	}
	cmd.Flags().SetInterspersed(false) // marks follow the session, also those with a minus
	return cmd
}

// completeMark suggests marks after + or -, and sessions otherwise.
func (a *Commands) completeMark(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if !isMark(prefix) {
		return a.CompleteSession(-1)(cmd, args, prefix)
	}
	words := []string{pinWord, archiveWord}
	if s, err := a.OpenMarks(); err == nil {
		words = slices.Concat(words, slices.Sorted(maps.Keys(s.Tags())))
	}
	var out []cobra.Completion
	for _, word := range words {
		out = append(out, prefix[:1]+word)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// isMark reports whether an argument sets or removes a mark.
func isMark(arg string) bool { return strings.HasPrefix(arg, "+") || strings.HasPrefix(arg, "-") }

// A markChange sets and removes marks.
type markChange struct {
	pin, archive string // "+", "-" or ""
	add, remove  []string
}

func parseMarks(words []string) (c markChange, err error) {
	var tags []string
	for _, word := range words {
		switch {
		case strings.HasPrefix(word, "--"):
			return c, exit.Usagef("invalid mark %q; flags go before the session", word)
		case !isMark(word):
			return c, exit.Usagef("unexpected argument %q; sessions go before the marks", word)
		case word[1:] == pinWord:
			c.pin = word[:1]
		case word[1:] == archiveWord:
			c.archive = word[:1]
		default:
			tags = append(tags, word)
		}
	}
	if c.add, c.remove, err = ops.ParseTags(tags); err != nil {
		return c, exit.Usagef("%w; use +TAG or -TAG", err)
	}
	return c, nil
}

func (c *markChange) apply(m *marks.Marks) {
	if c.pin != "" {
		m.Pinned = c.pin == "+"
	}
	if c.archive != "" {
		m.Archived = c.archive == "+"
	}
	ops.Tag(m, c.add, c.remove)
}

// markRecord contains the marks of a session in JSON.
type markRecord struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	marks.Marks
}

// mark shows or changes the marks of sessions; if one of them cannot be found, of
// none.
func (a *Commands) mark(ctx context.Context, args []string, asJSON bool) error {
	first := slices.IndexFunc(args, isMark)
	if first < 0 {
		first = len(args)
	}
	if first == 0 {
		return exit.Helpf("missing SESSION before %q; see pith mark --help", args[0])
	}
	c, err := parseMarks(args[first:])
	if err != nil {
		return err
	}
	found, err := a.LocateAll(ctx, args[:first])
	if err != nil {
		return err
	}
	s, err := a.OpenMarks()
	if err != nil {
		return err
	}
	records := []markRecord{}
	for i := range found {
		m := s.Of(found[i].ID)
		if first < len(args) {
			if m, err = s.Update(found[i].ID, found[i].Path, c.apply); err != nil {
				return err
			}
		}
		records = append(records, markRecord{found[i].ID, found[i].Path, m})
		if !asJSON {
			a.printMarks(&found[i], m)
		}
	}
	if asJSON {
		return a.Out.JSON(records)
	}
	return nil
}

func (a *Commands) printMarks(of *catalog.Ref, m marks.Marks) {
	var words []string
	if m.Pinned {
		words = append(words, pinWord)
	}
	if m.Archived {
		words = append(words, archiveWord)
	}
	line := cmp.Or(ops.Original(of.Path), of.Path)
	for _, word := range append(words, m.Tags...) {
		line += "  +" + word
	}
	a.Out.Print(termsafe.Line(line) + "\n")
}

type tagRecord struct {
	Tag      string `json:"tag"`
	Sessions int    `json:"sessions"`
}

func (a *Commands) listTags(asJSON bool) error {
	s, err := a.OpenMarks()
	if err != nil {
		return err
	}
	counts := s.Tags()
	records := []tagRecord{}
	for _, tag := range slices.Sorted(maps.Keys(counts)) {
		records = append(records, tagRecord{tag, counts[tag]})
	}
	if asJSON {
		return a.Out.JSON(records)
	}
	if len(records) == 0 {
		a.Note("no tags; add one with pith mark SESSION +TAG")
	}
	for _, r := range records {
		a.Out.Printf("%s\t%d\n", termsafe.Line(r.Tag), r.Sessions)
	}
	return nil
}
