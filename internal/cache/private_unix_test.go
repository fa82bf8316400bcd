//go:build unix

package cache

import (
	"testing"

	"golang.org/x/sys/unix"
)

// The owner of a directory counts, not only its mode.
func TestSafe(t *testing.T) {
	const dir, me, other = unix.S_IFDIR, 1000, 1001
	for name, tt := range map[string]struct {
		access
		itself, want bool
	}{
		"mine":                           {access{me, me, dir | 0o700}, true, true},
		"another user's":                 {access{other, other, dir | 0o755}, true, false},
		"the administrator's":            {access{0, 0, dir | 0o755}, true, false},
		"mine, my group may write":       {access{me, me, dir | 0o770}, true, false},
		"above: the administrator's":     {access{0, 0, dir | 0o755}, false, true},
		"above: of a user namespace":     {access{overflow, overflow, dir | 0o755}, false, true},
		"above: another user's":          {access{other, other, dir | 0o755}, false, false},
		"above: my group of one":         {access{me, me, dir | 0o775}, false, true},
		"above: another group":           {access{me, 50, dir | 0o775}, false, false},
		"above: all":                     {access{0, 0, dir | 0o777}, false, false},
		"above: all, sticky":             {access{0, 0, dir | unix.S_ISVTX | 0o777}, false, true},
		"above: another user's sticky":   {access{other, 0, dir | unix.S_ISVTX | 0o777}, false, false},
		"above: a link of mine":          {access{me, me, unix.S_IFLNK | 0o777}, false, true},
		"above: a link of another user":  {access{other, me, unix.S_IFLNK | 0o777}, false, false},
		"above: a link of administrator": {access{0, 0, unix.S_IFLNK | 0o777}, false, true},
	} {
		if got := tt.access.safe(me, tt.itself); got != tt.want {
			t.Errorf("%s: safe = %v, want %v", name, got, tt.want)
		}
	}
}
