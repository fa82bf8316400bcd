package cli

import (
	"errors"
	"path/filepath"
	"runtime"
)

// dataDir is a folder of pith's own, where the system keeps the data of
// programs: the one that trash.Default uses too. It is not created here.
func (a *app) dataDir(name string) (string, error) {
	base := a.env.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) { // the specification has relative ones ignored
		base = a.systemDataDir()
	}
	if base == "" {
		return "", errors.New("there is no folder for pith's own files: neither HOME nor XDG_DATA_HOME is set; set one of them")
	}
	return filepath.Join(base, "pith", name), nil
}

func (a *app) systemDataDir() string {
	if runtime.GOOS == "windows" {
		return a.env.Getenv("APPDATA")
	}
	home := a.env.home()
	if home == "" {
		return ""
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support")
	}
	return filepath.Join(home, ".local", "share")
}
