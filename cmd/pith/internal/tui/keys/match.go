package keys

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

var named = map[string]rune{
	"escape": tea.KeyEscape, "esc": tea.KeyEscape, "enter": tea.KeyEnter, "return": tea.KeyEnter,
	"tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"insert": tea.KeyInsert, "home": tea.KeyHome, "end": tea.KeyEnd, "pageup": tea.KeyPgUp, "pagedown": tea.KeyPgDown,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f11": tea.KeyF11, "f12": tea.KeyF12,
}

// Matches reports whether a key press is the key of a binding, such as
// "ctrl+s", "shift+ctrl+o", "pageUp" or "x". Modifiers may be in any order.
func Matches(press tea.KeyPressMsg, key string) bool {
	mod, base := parse(key)
	if base == "" {
		return false
	}
	code, special := named[strings.ToLower(base)]
	if special {
		return press.Code == code && modifiers(press.Mod) == mod
	}
	letter := []rune(base)
	if len(letter) != 1 {
		return false
	}
	if mod == tea.ModShift || mod == 0 { // a printable character: compare the text
		want := letter[0]
		if mod == tea.ModShift {
			want = unicode.ToUpper(want)
		}
		return press.Text == string(want) && modifiers(press.Mod)&^tea.ModShift == 0
	}
	return unicode.ToLower(press.Code) == unicode.ToLower(letter[0]) && modifiers(press.Mod) == mod
}

// modifiers returns the modifiers that bindings support, without locks.
func modifiers(m tea.KeyMod) tea.KeyMod {
	return m & (tea.ModShift | tea.ModCtrl | tea.ModAlt | tea.ModSuper | tea.ModMeta)
}

func parse(key string) (mod tea.KeyMod, base string) {
	for {
		i := strings.IndexByte(key, '+')
		if i <= 0 || i == len(key)-1 {
			return mod, key
		}
		switch strings.ToLower(key[:i]) {
		case "ctrl":
			mod |= tea.ModCtrl
		case "alt":
			mod |= tea.ModAlt
		case "shift":
			mod |= tea.ModShift
		case "super":
			mod |= tea.ModSuper
		default:
			return mod, ""
		}
		key = key[i+1:]
	}
}

// bubblesName returns the name of a key in package bubbles: modifiers have an order
// there.
func bubblesName(key string) string {
	mod, base := parse(key)
	base = strings.ToLower(base)
	switch base {
	case "escape":
		base = "esc"
	case "return":
		base = "enter"
	case "pageup":
		base = "pgup"
	case "pagedown":
		base = "pgdown"
	}
	for _, m := range []struct {
		mod  tea.KeyMod
		name string
	}{{tea.ModSuper, "super+"}, {tea.ModShift, "shift+"}, {tea.ModAlt, "alt+"}, {tea.ModCtrl, "ctrl+"}} {
		if mod&m.mod != 0 {
			base = m.name + base
		}
	}
	return base
}
