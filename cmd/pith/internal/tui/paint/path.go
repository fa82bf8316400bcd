package paint

import (
	"path/filepath"
	"strings"
)

// Homely is a path with ~ for the user's home folder, by whole names; "" is no
// home.
func Homely(home, path string) string {
	home = strings.TrimSuffix(home, string(filepath.Separator))
	switch {
	case home == "":
		return path
	case path == home:
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
