package adksession_test

import (
	"os"
	"testing"

	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/session/sessiontestsuite"

	adksession "github.com/pith-sessions/pith/integrations/adk"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(writerVariable) != "" {
		playWriter()
		return
	}
	os.Exit(pgtest.Main(m))
}

// stores are the places for sessions. Each call of one is an empty place.
var stores = map[string]func(testing.TB) adksession.Options{
	"files": func(tb testing.TB) adksession.Options {
		return adksession.Options{Dir: tb.TempDir(), Trash: tb.TempDir()}
	},
	"memory": func(testing.TB) adksession.Options { return adksession.Options{Store: memstore.New()} },
	"postgresql": func(tb testing.TB) adksession.Options {
		st, err := pgstore.Connect(tb.Context(), pgtest.DSN(tb), pgstore.Options{Schema: pgtest.Schema(tb)})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(st.Close)
		return adksession.Options{Store: st}
	},
}

func open(tb testing.TB, o adksession.Options) *adksession.Service {
	tb.Helper()
	s, err := adksession.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

// The suite that ADK has for its own services, with no part of it turned off: session ids
// may be given, and event ids are kept.
func TestADKSuite(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			sessiontestsuite.RunServiceTests(t, sessiontestsuite.SuiteOptions{SupportsUserProvidedSessionID: true},
				func(t *testing.T) session.Service { return open(t, options(t)) })
		})
	}
}
