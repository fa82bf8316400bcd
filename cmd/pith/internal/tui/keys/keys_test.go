package keys_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		press tea.KeyPressMsg
		key   string
		want  bool
	}{
		{tea.KeyPressMsg{Code: tea.KeyUp}, "up", true},
		{tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModCtrl}, "up", false},
		{tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModCtrl | tea.ModShift}, "shift+ctrl+up", true},
		{tea.KeyPressMsg{Code: tea.KeyPgUp}, "pageUp", true},
		{tea.KeyPressMsg{Code: tea.KeyEscape}, "escape", true},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, "ctrl+d", true},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, "CTRL+D", true},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, "d", false},
		{tea.KeyPressMsg{Code: 'd', Text: "d"}, "d", true},
		{tea.KeyPressMsg{Code: 'l', Mod: tea.ModShift, Text: "L"}, "shift+l", true},
		{tea.KeyPressMsg{Code: 'L', Text: "L"}, "shift+l", true}, // terminals without the new protocol
		{tea.KeyPressMsg{Code: 'l', Text: "l"}, "shift+l", false},
		{tea.KeyPressMsg{Code: '?', Mod: tea.ModShift, Text: "?"}, "?", true},
		{tea.KeyPressMsg{Code: tea.KeyBackspace, Mod: tea.ModCtrl}, "ctrl+backspace", true},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl | tea.ModCapsLock}, "ctrl+d", true},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, "hyper+d", false},
		{tea.KeyPressMsg{Code: '+', Text: "+"}, "+", true},
		{tea.KeyPressMsg{Code: 'd', Text: "d"}, "", false},
	} {
		if got := keys.Matches(c.press, c.key); got != c.want {
			t.Errorf("Matches(%q, %q) = %v, want %v", c.press.String(), c.key, got, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keybindings.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := keys.Load(file)
	if err != nil || !m.Is(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}, keys.SessionSort) {
		t.Errorf("Load of no file: %v, ctrl+s does not sort", err)
	}
	write("\ufeff" + `{"app.session.toggleSort": "ctrl+y", "renameSession": ["f2", "ctrl+r"], "app.session.delete": [], "app.other": 3}`)
	if m, err = keys.Load(file); err != nil {
		t.Fatal(err)
	}
	if got, want := m.Keys(keys.SessionSort), []string{"ctrl+y", "s"}; !slices.Equal(got, want) {
		t.Errorf("keys of sort: %v, want %v", got, want)
	}
	if got, want := m.Keys(keys.SessionRename), []string{"f2", "ctrl+r", "r"}; !slices.Equal(got, want) {
		t.Errorf("keys of rename by its old name: %v, want %v", got, want)
	}
	if m.Is(tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, keys.SessionDelete) {
		t.Error("ctrl+d deletes although it was unbound")
	}
	write("{")
	if m, err = keys.Load(file); err == nil || !m.Is(tea.KeyPressMsg{Code: tea.KeyEnter}, keys.SelectConfirm) {
		t.Errorf("Load of a broken file: %v; want an error and the usual keys", err)
	}
}

func TestLabel(t *testing.T) {
	m := keys.Default()
	for action, want := range map[keys.Action]string{
		keys.SelectUp: "↑", keys.SelectPageDown: "pgdn", keys.SelectCancel: "esc", keys.SessionSort: "ctrl+s", keys.SessionNew: "", keys.Open: "o",
	} {
		if got := m.Label(action); got != want {
			t.Errorf("Label(%s) = %q, want %q", action, got, want)
		}
	}
}
