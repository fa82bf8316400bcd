package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
)

type nameFlags struct{ clear, ifUnnamed, json bool }

func (a *app) nameCommand() *cobra.Command {
	var f nameFlags
	cmd := &cobra.Command{
		Use:   "name SESSION [TEXT...]",
		Short: "Show, set or clear the name of a session",
		Long: `Show the display name of a session, or set it. Line breaks and control
characters are taken out. A new name does not change the session's place in
lists, and is safe while an agent works in the session.`,
		Example: `  pith name @
  pith name @ "parser bug"
  pith name @ --clear
  pith name @ --if-unnamed "$(make-a-title)"`,
		Args:              takes(1, -1, 1),
		ValidArgsFunction: a.completeSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.name(cmd.Context(), args[0], args[1:], f)
		},
	}
	cmd.Flags().BoolVar(&f.clear, "clear", false, "take the name away")
	cmd.Flags().BoolVar(&f.ifUnnamed, "if-unnamed", false, "leave a name alone that the session has; for titles made by programs")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	exclusive(cmd, "clear", "if-unnamed")
	return cmd
}

func (a *app) name(ctx context.Context, ref string, words []string, f nameFlags) (err error) {
	text := strings.Join(words, " ")
	if len(words) > 0 && f.clear {
		return usagef("a name and --clear are both given; use one of them")
	}
	if len(words) > 0 && format.CleanName(text) == "" {
		return usagef("the name is empty; to take the name away use --clear")
	}
	if len(words) == 0 && !f.clear {
		return a.showName(ctx, ref, f.json)
	}
	s, err := a.openForWriting(ctx, ref, pith.Refuse)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	if err := setName(s, text, f.ifUnnamed); err != nil {
		return err
	}
	if clean := format.CleanName(text); clean != text && clean == s.Name() {
		a.note("note: line breaks and control characters were taken out of the name")
	}
	return a.printName(s, ref, f.json)
}

// setName names the session unless it must not. A title that a program made
// never replaces a name that a person gave (pitfall 141).
func setName(s *pith.Session, text string, ifUnnamed bool) error {
	if ifUnnamed {
		_, _, err := s.SetNameIfUnset(text)
		return err
	}
	_, err := s.SetName(text)
	return err
}

func (a *app) showName(ctx context.Context, ref string, asJSON bool) (err error) {
	s, err := a.openForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	return a.printName(s, ref, asJSON)
}

func (a *app) printName(s *pith.Session, ref string, asJSON bool) error {
	name := s.Name()
	if asJSON {
		return a.out.json(struct {
			Session jsText  `json:"session"`
			Name    *jsText `json:"name"`
		}{jsText(s.ID()), jsTextOrNull(name)})
	}
	if name == "" {
		a.note("the session has no name; give it one with %s", a.hint("name", ref, "TEXT"))
		return nil
	}
	a.out.print(termsafe.Line(name) + "\n")
	return nil
}
