// Package screentest helps to test the screens of the terminal app: it names
// keys, unpacks commands and compares screens with files.
package screentest

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

var update = flag.Bool("update", false, "rewrite the screens")

// Keep compares a screen with the one in testdata.
func Keep(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("screen:\n%s\nwant:\n%s", got, want)
	}
}

// Plain returns a screen without colors and without trailing blanks.
func Plain(screen string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(screen, "\n") {
		b.WriteString(strings.TrimRight(paint.Bare(line), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// Commands returns the commands in a message: those of [tea.Batch] and
// [tea.Sequence], of which only the first has a named type.
func Commands(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || !v.Type().ConvertibleTo(reflect.TypeFor[[]tea.Cmd]()) {
		return nil, false
	}
	return v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd), true
}

// Answer returns the message of a command; false for one that only waits for
// some time or more, such as a fading status or a blinking cursor. A command
// that works is awaited, however busy the machine is.
func Answer(t testing.TB, cmd tea.Cmd, some time.Duration) (tea.Msg, bool) {
	t.Helper()
	answer, self := make(chan tea.Msg, 1), make(chan string, 1)
	go func() {
		own := make([]byte, 64)
		name, _, _ := strings.Cut(string(own[:runtime.Stack(own, false)]), " [") // "goroutine 7"
		self <- name
		answer <- cmd()
	}()
	name := <-self
	for {
		select {
		case msg := <-answer:
			return msg, true
		case <-time.After(some):
			if waits(name) {
				return nil, false
			}
		}
	}
}

// waits reports whether a goroutine waits for a timer of the terminal library.
func waits(name string) bool {
	all := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if strings.HasPrefix(stack, name+" [") {
			return strings.Contains(stack, "bubbletea/v2.Tick") || strings.Contains(stack, "bubbles/v2/cursor.")
		}
	}
	return false
}

var named = map[string]tea.KeyPressMsg{
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"pgup": {Code: tea.KeyPgUp}, "pgdn": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
	"backspace": {Code: tea.KeyBackspace}, "space": {Code: ' ', Text: " "},
}

var modifiers = map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}

// Key returns a key press by its name: "x", "enter", "ctrl+backspace",
// "shift+ctrl+o".
func Key(name string) tea.KeyPressMsg {
	var mod tea.KeyMod
	for {
		before, rest, ok := strings.Cut(name, "+")
		m, known := modifiers[before]
		if !ok || !known {
			break
		}
		mod |= m
		name = rest
	}
	key, ok := named[name]
	if !ok {
		key = tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
	}
	if mod != 0 {
		key.Mod, key.Text = mod, ""
	}
	return key
}
