// Package goroutineleaks fails the tests of a package that leak a goroutine.
package goroutineleaks

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long a goroutine may take to end. goleak alone waits for half
// a second, which can be too short on a busy machine.
const patience = time.Minute

// Main runs the tests of a package and ends the process. It is for TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func find() error {
	began := time.Now()
	for {
		err := goleak.Find()
		if err == nil || time.Since(began) > patience {
			return err
		}
	}
}
