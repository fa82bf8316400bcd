//go:build windows || darwin

package project_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog/project"
)

func TestLetterCase(t *testing.T) { // pitfall 173
	dir := t.TempDir()
	folders(t, dir, "Work")
	list := project.Group(sessions(filepath.Join(dir, "Work"), filepath.Join(dir, "work"), `/No/Such`, `/no/such`), project.Options{})
	if len(list) != 2 {
		t.Errorf("Group = %s; want two projects", describe(dir, list))
	}
}
