package agent_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
)

// A second Close returns when the first has closed the session, not before.
func TestCloseWaitsForClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		a, err := agent.New(s, agent.Config{Hooks: []agent.Hooks{{
			Shutdown: func(context.Context, agent.SwitchEvent) error {
				<-release
				return nil
			},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		var returned atomic.Int32
		for range 3 {
			go func() {
				if err := a.Close(); err != nil {
					t.Errorf("Close = %v; want nil", err)
				}
				returned.Add(1)
			}()
		}
		synctest.Wait()
		if n := returned.Load(); n != 0 {
			t.Errorf("%d of 3 calls of Close returned while a Shutdown hook still runs; want none", n)
		}
		close(release)
		synctest.Wait()
		if n := returned.Load(); n != 3 {
			t.Errorf("%d of 3 calls of Close returned; want all", n)
		}
	})
}
