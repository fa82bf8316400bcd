// Command packaging makes the files of a release other than the binaries. It
// runs in the directory of the module, from .goreleaser.yaml and the Makefile.
//
//	packaging pages DIR SECONDS  manual pages of that time, completions, licenses of linked modules
//	packaging npm DIST DIR       the npm packages, from goreleaser's output
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "pages":
		seconds, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return err
		}
		return errors.Join(manual(args[1], time.Unix(seconds, 0).UTC()), completions(args[1]), licenses(args[1]))
	case len(args) == 3 && args[0] == "npm":
		return npm(args[1], args[2])
	}
	return errors.New("usage: packaging pages DIR SECONDS | npm DIST DIR")
}
