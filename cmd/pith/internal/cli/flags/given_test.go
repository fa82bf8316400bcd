package flags_test

import (
	"slices"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/spf13/cobra"
)

// A suggested command repeats the flags that were given, with their meaning.
func TestGivenArguments(t *testing.T) {
	var got flags.Given
	cmd := &cobra.Command{Use: "x", RunE: func(cmd *cobra.Command, _ []string) error {
		got = flags.Of(cmd)
		return nil
	}}
	cmd.Flags().Bool("empty", false, "")
	cmd.Flags().Bool("named", false, "")
	cmd.Flags().Int("keep", 0, "")
	cmd.Flags().StringSlice("tag", nil, "")
	cmd.SetArgs([]string{"--tag", "a,b", "--empty", "--named=false", "--keep", "3"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		got  flags.Given
		want []string
	}{
		"all":     {got, []string{"x", "--empty", "--keep", "3", "--tag", "a,b"}},
		"only":    {got.Only("tag", "keep", "none"), []string{"x", "--tag", "a,b", "--keep", "3"}},
		"without": {got.Without("tag", "empty"), []string{"x", "--keep", "3"}},
		"with":    {got.Only("empty", "keep").With("keep", "4").With("yes", ""), []string{"x", "--empty", "--keep", "4", "--yes"}},
	}
	for name, tt := range tests {
		if args := tt.got.Arguments("x"); !slices.Equal(args, tt.want) {
			t.Errorf("%s: Arguments = %q; want %q", name, args, tt.want)
		}
	}
}
