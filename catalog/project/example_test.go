package project_test

import (
	"fmt"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
)

// Sessions by the directory that they were about.
func Example() {
	infos := []catalog.Info{{Cwd: "/src/app", Size: 10}, {Cwd: "/src/lib", Size: 20}, {Cwd: "/src/app", Size: 30}}
	for _, p := range project.Group(infos, project.Options{}) {
		fmt.Println(p.Dir, len(p.Sessions), p.Size)
	}
	// Unordered output:
	// /src/app 2 40
	// /src/lib 1 20
}
