package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
)

// A command that is built alone has the name, group and flags that it has among
// all others.
func TestOneCommand(t *testing.T) {
	for _, want := range Root().Commands() {
		root := newApp(console.System()).rootCommand(want.Name())
		got, _, err := root.Find([]string{want.Name()})
		if err != nil || got.Name() != want.Name() || got.GroupID != want.GroupID || got.UsageString() != want.UsageString() {
			t.Errorf("%s alone = %q in group %q, %v; want group %q and the usage\n%s\nnot\n%s",
				want.Name(), got.Name(), got.GroupID, err, want.GroupID, want.UsageString(), got.UsageString())
		}
		if slices.Contains([]string{"completion", "help"}, want.Name()) {
			continue // they need the others
		}
		var names []string
		for _, c := range root.Commands() {
			names = append(names, c.Name())
		}
		if text := strings.Join(names, " "); text != want.Name()+" help" && text != "help "+want.Name() {
			t.Errorf("with %s, the commands are %s", want.Name(), text)
		}
	}
}
