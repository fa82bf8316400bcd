package pi_test

import (
	"testing"

	"github.com/pith-sessions/pith/tests/goroutineleaks"
)

// A closed Host leaves no goroutine behind, whatever the tests did with it.
func TestMain(m *testing.M) { goroutineleaks.Main(m) }
