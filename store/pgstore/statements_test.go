package pgstore

import (
	"reflect"
	"testing"

	"github.com/pith-sessions/pith/tests/pgtest"
)

// S1: no statement of a store uses what others put into a schema on the search path.
func TestStatements(t *testing.T) {
	server := pgtest.Start(t, "fsync=off", "max_locks_per_transaction=1000")
	s, err := Connect(t.Context(), server.DSN(), Options{Schema: "pith"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pgtest.PlantTraps(t, server.Superuser(), "public")
	all := reflect.ValueOf(s.sql)
	for i := range all.NumField() {
		sql := all.Field(i).String()
		if names := pgtest.Sprung(t, server.Superuser(), sql); sql == "" || len(names) > 0 {
			t.Errorf("%s: %s\nuses %q", all.Type().Field(i).Name, sql, names)
		}
	}
	if names := pgtest.Sprung(t, server.Superuser(), "SELECT 1::bigint * interval '1 second'"); len(names) == 0 {
		t.Error("an operator that was planted is not found: this test tests nothing")
	}
}
