// Command pith reads, branches and edits the sessions of coding agents.
// Run pith --help, or see docs/README.md.
package main

import (
	"os"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
)

func main() { os.Exit(cli.Main()) }
