package sessiondir_test

import (
	"fmt"
	"path/filepath"

	"github.com/pith-sessions/pith/sessiondir"
)

// Where pi keeps the sessions of a project.
func Example() {
	env := sessiondir.Environment{Home: "/home/me", Getenv: func(string) string { return "" }}
	fmt.Println(filepath.ToSlash(env.Place("/src/app").For("/src/app")))
	// Output: /home/me/.pi/agent/sessions/--src-app--
}
