package humanize_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
)

func TestWords(t *testing.T) {
	const day = 24 * time.Hour
	for _, tc := range []struct{ got, want string }{
		{humanize.Count(0, "entry"), "0 entries"},
		{humanize.Count(1, "entry"), "1 entry"},
		{humanize.Count(2, "journey"), "2 journeys"},
		{humanize.Count(1500, "branch"), "1,500 branches"},
		{humanize.Number(-1234567), "-1,234,567"},
		{humanize.Number(999), "999"},
		{humanize.Short(999), "999"},
		{humanize.Short(1234), "1.2k"},
		{humanize.Short(45_678), "45k"},
		{humanize.Short(3_440_000), "3.4M"},
		{humanize.Short(999_949_999), "999.9M"},
		{humanize.Short(10_505_000_000), "10.5B"},
		{humanize.Bytes(0), "0 B"},
		{humanize.Bytes(999), "999 B"},
		{humanize.Bytes(1000), "1.0 KB"},
		{humanize.Bytes(999_600), "1.0 MB"},
		{humanize.Bytes(22_800_000), "23 MB"},
		{humanize.Time(time.Time{}), "unknown"},
		{humanize.Moment(time.Time{}), ""},
		{humanize.Time(time.Date(2026, 2, 3, 4, 5, 6, 0, time.Local)), "2026-02-03 04:05"},
		{humanize.Moment(time.Date(2026, 2, 3, 4, 5, 6, 0, time.Local)), "2026-02-03 04:05:06"},
		{humanize.Age(-time.Hour), "now"},
		{humanize.Age(59 * time.Minute), "59m"},
		{humanize.Age(23 * time.Hour), "23h"},
		{humanize.Age(6 * day), "6d"},
		{humanize.Age(29 * day), "4w"},
		{humanize.Age(31 * day), "1mo"},
		{humanize.Age(800 * day), "2y"},
		{humanize.Duration(20 * time.Millisecond), "20 ms"},
		{humanize.Duration(1500 * time.Millisecond), "1.5 s"},
		{humanize.Duration(61 * time.Second), "1 min 1 s"},
		{humanize.Duration(125 * time.Minute), "2 h 5 min"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestPath(t *testing.T) {
	home := filepath.FromSlash("/home/ann")
	for _, tc := range []struct{ home, path, want string }{
		{home, "/home/ann", "~"},
		{home, "/home/ann/a/b", "~/a/b"},
		{home + "/", "/home/ann/a", "~/a"},
		{home, "/home/anna/a", "/home/anna/a"},
		{"", "/home/ann/a", "/home/ann/a"},
	} {
		if got := humanize.Path(filepath.FromSlash(tc.home), filepath.FromSlash(tc.path)); got != filepath.FromSlash(tc.want) {
			t.Errorf("%q in %q: got %q, want %q", tc.path, tc.home, got, tc.want)
		}
	}
}
