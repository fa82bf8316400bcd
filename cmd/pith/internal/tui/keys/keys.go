// Package keys defines the key bindings of the terminal app.
//
// Actions have pi's names, so that a user's keybindings.json works for both
// programs. Those that only pith has are named pith.*. The package does not
// read a terminal: it compares key presses with bindings.
//
// An action may have letters besides other keys. They are keys only where nothing is
// typed: see [Typed].
package keys

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// An Action is something that a key can be bound to.
type Action string

// A Map contains the keys of each action. The zero Map binds nothing; see
// [Default].
type Map struct{ bound map[Action][]string }

// Default returns the map with pi's own bindings.
func Default() *Map { return &Map{bound: maps.Clone(defaults())} }

// Load returns Default, changed by a keybindings.json of pi. Actions have one
// key or a list; an empty list unbinds. The letters of an action stay. Names of old
// versions are supported, unknown actions are ignored. Without a file nothing is changed;
// for a broken file it returns an error together with a usable map.
func Load(file string) (*Map, error) {
	m := Default()
	data, err := os.ReadFile(file)
	if err != nil {
		if os.IsNotExist(err) {
			return m, nil
		}
		return m, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &raw); err != nil {
		return m, fmt.Errorf("%s: %w; using the default keys", file, err)
	}
	for name, value := range raw {
		action := Action(name)
		if renamed, old := oldNames()[name]; old {
			if _, both := raw[string(renamed)]; both {
				continue
			}
			action = renamed
		}
		list, ok := keyList(value)
		if !ok {
			continue
		}
		for _, k := range defaults()[action] {
			if len(list) > 0 && isLetter(k) && !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
		m.bound[action] = list
	}
	return m, nil
}

func keyList(value json.RawMessage) ([]string, bool) {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}, true
	}
	var list []string
	return list, json.Unmarshal(value, &list) == nil
}

// isLetter reports whether a key types a character.
func isLetter(key string) bool { return len([]rune(key)) == 1 }

// Typed reports whether a key press is a character to type.
func Typed(press tea.KeyPressMsg) bool {
	return press.Text != "" && press.Mod&(tea.ModCtrl|tea.ModAlt) == 0
}

// Is reports whether a key press is bound to the action.
func (m *Map) Is(press tea.KeyPressMsg, action Action) bool {
	return slices.ContainsFunc(m.bound[action], func(key string) bool { return Matches(press, key) })
}

// First returns the first of several actions to which a key press is bound, or
// "".
func (m *Map) First(press tea.KeyPressMsg, actions ...Action) Action {
	for _, a := range actions {
		if m.Is(press, a) {
			return a
		}
	}
	return ""
}

// Keys returns the keys of an action as written.
func (m *Map) Keys(action Action) []string { return slices.Clone(m.bound[action]) }

// Binding returns the keys of an action for an input of package bubbles, without the
// letters.
func (m *Map) Binding(action Action) key.Binding {
	var list []string
	for _, k := range m.bound[action] {
		if !isLetter(k) {
			list = append(list, bubblesName(k))
		}
	}
	return key.NewBinding(key.WithKeys(list...))
}

// Label returns the first key of an action for display, with arrows as symbols,
// or "" if the action is unbound. It prefers keys that are no letters.
func (m *Map) Label(action Action) string { return m.label(action, false) }

// Labels returns the labels of several actions, without unbound ones.
func (m *Map) Labels(actions ...Action) string {
	var parts []string
	for _, a := range actions {
		if l := m.Label(a); l != "" {
			parts = append(parts, l)
		}
	}
	return strings.Join(parts, " ")
}

// Letter is like Label, but prefers letters.
func (m *Map) Letter(action Action) string { return m.label(action, true) }

func (m *Map) label(action Action, letter bool) string {
	list := m.bound[action]
	if len(list) == 0 {
		return ""
	}
	at := max(0, slices.IndexFunc(list, func(k string) bool { return isLetter(k) == letter }))
	return Shown(list[at])
}

// Shown returns a key for display, with arrows as symbols.
func Shown(key string) string {
	parts := strings.Split(key, "+")
	for i, p := range parts {
		if s, ok := shown[p]; ok {
			parts[i] = s
		}
	}
	return strings.Join(parts, "+")
}

var shown = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→",
	"pageUp": "pgup", "pageDown": "pgdn", "escape": "esc",
}

// WheelLines returns the number of lines by which a turn of the mouse wheel
// moves, or 0 for a sideways turn.
func WheelLines(w tea.MouseWheelMsg) int {
	switch w.Button {
	case tea.MouseWheelUp:
		return -3
	case tea.MouseWheelDown:
		return 3
	}
	return 0
}
