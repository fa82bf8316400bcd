package pi_test

import (
	"testing"

	"github.com/pith-sessions/pith/tests/goroutineleaks"
)

// A closed Host leaks no goroutine, whatever the tests did with it.
func TestMain(m *testing.M) { goroutineleaks.Main(m) }
