package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/prices"
)

func TestRenew(t *testing.T) {
	dir := t.TempDir()
	list, file := filepath.Join(dir, "prices.json"), filepath.Join(dir, "published.json")
	const first = `{"anthropic":{"claude-a":{"input":3,"output":15},"claude-b":{"input":1,"output":2},"free":{"input":0,"output":0}},"nobody":{"m":{"input":1,"output":1}}}`
	const next = `{"anthropic":{"claude-a":{"input":2,"output":10}}}`
	for _, tt := range []struct{ date, published string }{{"2026-01-01", first}, {"2026-06-01", next}, {"2026-06-01", next}} { // the last changes nothing
		if err := os.WriteFile(file, []byte(tt.published), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := renew(list, file, tt.date, "a test"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	l, err := prices.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.Models["anthropic"]["claude-a"]); n != 2 || l.Date != "2026-06-01" || l.Models["nobody"] != nil {
		t.Errorf("%d prices of a, made on %s, nobody: %v", n, l.Date, l.Models["nobody"])
	}
	may, july := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		model string
		at    time.Time
		input float64
	}{{"anthropic/claude-a", may, 3}, {"anthropic/claude-a", july, 2}, {"anthropic/claude-b", july, 1}, {"anthropic/free", july, 0}} {
		if p, _ := l.Find(tt.model, tt.at); p.Input != tt.input || p.CacheWrite1h != 2*tt.input {
			t.Errorf("%s at %s: %+v, want %v", tt.model, tt.at, p, tt.input)
		}
	}
	if err := renew(list, file, "today", "a test"); err == nil {
		t.Error("accepted a date of another form")
	}
}
