package paint_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

func TestHomely(t *testing.T) {
	home := filepath.FromSlash("/home/bob")
	for path, want := range map[string]string{
		"/home/bob": "~", "/home/bob/x": "~/x", "/home/bob2/x": "/home/bob2/x", "/srv": "/srv", "": "",
	} {
		if got := paint.Homely(home, filepath.FromSlash(path)); got != filepath.FromSlash(want) {
			t.Errorf("Homely(%q, %q) = %q, want %q", home, path, got, want)
		}
	}
	if got := paint.Homely("", "/x"); got != "/x" {
		t.Errorf(`Homely("", "/x") = %q`, got)
	}
}
