package pi_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A closed Host leaves no goroutine behind, whatever the tests did with it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
