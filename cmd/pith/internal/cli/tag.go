package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

func (a *app) tagCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tag [flags] [SESSION [+TAG | -TAG]...]",
		Short: "Show or change the tags of a session",
		Long: `Give a session tags, take them away, or show them; without a session, list all
tags and how many sessions have them. A tag is one word; +TAG or TAG gives it,
-TAG takes it away. Flags go before the session. The session itself is not
changed.`,
		Example: `  pith tag @ +bug -draft
  pith tag @
  pith tag`,
		Args:                  takes(0, -1, -1),
		ValidArgsFunction:     a.completeSession(1),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listTags(asJSON)
			}
			return a.tag(cmd.Context(), args[0], args[1:], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().SetInterspersed(false) // what follows the session are tags, also those with a minus
	return cmd
}

type tagRecord struct {
	Tag      string `json:"tag"`
	Sessions int    `json:"sessions"`
}

func (a *app) listTags(asJSON bool) error {
	s, err := a.shelf()
	if err != nil {
		return err
	}
	counts := s.Tags()
	records := []tagRecord{}
	for _, tag := range slices.Sorted(maps.Keys(counts)) {
		records = append(records, tagRecord{tag, counts[tag]})
	}
	if asJSON {
		return a.out.json(records)
	}
	if len(records) == 0 {
		a.note("there are no tags; give one with pith tag SESSION +TAG")
	}
	for _, r := range records {
		a.out.printf("%s\t%d\n", termsafe.Line(r.Tag), r.Sessions)
	}
	return nil
}

func (a *app) tag(ctx context.Context, ref string, words []string, asJSON bool) error {
	give, take, err := tagChanges(words)
	if err != nil {
		return err
	}
	found, err := a.locate(ctx, ref)
	if err != nil {
		return err
	}
	s, err := a.shelf()
	if err != nil {
		return err
	}
	m := s.Of(found.ID)
	if len(words) > 0 {
		m, err = s.Update(found.ID, found.Path, func(m *marks.Marks) {
			m.Tags = slices.DeleteFunc(append(m.Tags, give...), func(tag string) bool { return slices.Contains(take, tag) })
		})
		if err != nil {
			return err
		}
	}
	if asJSON {
		return a.out.json(markRecordOf(&found, m))
	}
	for _, tag := range m.Tags {
		a.out.print(termsafe.Line(tag) + "\n")
	}
	return nil
}

// tagChanges are the tags to give and to take away.
func tagChanges(words []string) (give, take []string, err error) {
	for _, word := range words {
		tag, away := strings.CutPrefix(word, "-")
		if strings.HasPrefix(tag, "-") {
			return nil, nil, usagef("%q is no tag; flags go before the session", word)
		}
		if !away {
			tag = strings.TrimPrefix(tag, "+")
		}
		if err := marks.CheckTag(tag); err != nil {
			return nil, nil, usagef("%w; write +TAG or -TAG", err)
		}
		if away {
			take = append(take, tag)
		} else {
			give = append(give, tag)
		}
	}
	return give, take, nil
}
