package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// T8: clients that meet an empty database at the same moment make the tables once.
func TestMigrateAtOnce(t *testing.T) {
	const clients = 8
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			s, err := pgstore.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
			if err != nil {
				t.Errorf("Connect by client %d = %v; want a store", i, err)
				return
			}
			defer s.Close()
			fresh(t, s, fmt.Sprint("/log ", i), nil)
		})
	}
	wg.Wait()
}

func TestSchemaVersions(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	o := pgstore.Options{Schema: schema, NoMigrate: true}
	_, err := pgstore.Connect(t.Context(), dsn, o)
	if !errors.Is(err, pgstore.ErrOlder) {
		t.Errorf("Connect without tables, which may not be made = %v; want ErrOlder", err)
	}
	connect(t, dsn, pgstore.Options{Schema: schema})
	connect(t, dsn, o)
	pgtest.Exec(t, dsn, "UPDATE "+schema+".version SET version = 99")
	_, err = pgstore.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	var version *pgstore.VersionError
	if !errors.Is(err, pgstore.ErrNewer) || !errors.As(err, &version) || version.Have != 99 || version.Schema != schema {
		t.Errorf("Connect to newer tables = %v; want a VersionError that has 99", err)
	}
}

func TestServerTooOld(t *testing.T) {
	socket := filepath.Join(t.TempDir(), ".s.PGSQL.5432")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go greet(c, "9.6.24")
		}
	}()
	_, err = pgstore.Connect(t.Context(), "user=u sslmode=disable host="+filepath.Dir(socket), pgstore.Options{})
	var server *pgstore.ServerError
	if !errors.As(err, &server) || server.Have != "9.6.24" {
		t.Errorf("Connect to an old server = %v; want a ServerError that has 9.6.24", err)
	}
}

// greet lets a client in as a server of some version does, and answers nothing else.
func greet(c net.Conn, version string) {
	defer c.Close()
	b := pgproto3.NewBackend(c, c)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: version})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if b.Flush() == nil {
		_, _ = b.Receive() // until the client leaves
	}
}

// T7: whatever is wrong with a connection string, its password is in no error.
func TestNoPasswordInErrors(t *testing.T) {
	const secret = "hunter2secret"
	closed := filepath.Join(t.TempDir(), "nobody")
	tests := map[string]struct {
		dsn  string
		kind error
	}{
		"nobody listens":       {"host=" + closed + " user=u password=" + secret, pgstore.ErrUnavailable},
		"URL, nobody listens":  {"postgres://u:" + secret + "@127.0.0.1:1/db", pgstore.ErrUnavailable},
		"special characters":   {"postgres://u:" + secret + "#?/@127.0.0.1:1/db", pgstore.ErrBadDSN},
		"percent sign":         {"postgres://u:" + secret + "%@127.0.0.1:1/db", pgstore.ErrBadDSN},
		"port":                 {"postgres://u:x@127.0.0.1:" + secret + "/db", pgstore.ErrBadDSN},
		"no such setting":      {"host=127.0.0.1 password='" + secret, pgstore.ErrBadDSN},
		"not a string of ours": {secret, pgstore.ErrBadDSN},
		"wrong sslmode":        {"host=127.0.0.1 sslmode=maybe password=" + secret, pgstore.ErrBadDSN},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := pgstore.Connect(t.Context(), tt.dsn, pgstore.Options{Patience: -1})
			if !errors.Is(err, tt.kind) {
				t.Errorf("Connect = %v; want an error that matches %q", err, tt.kind)
			}
			if errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Connect = %v, which looks like a log that is not there", err)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if text := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(text, secret) {
					t.Errorf("the error holds the password: %s", text)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	dsn := pgtest.DSN(t)
	_, err := pgstore.Connect(t.Context(), dsn+" dbname=nowhere", pgstore.Options{})
	var e *pgstore.Error
	if !errors.Is(err, pgstore.ErrRefused) || !errors.As(err, &e) || e.Code != "3D000" {
		t.Errorf("Connect to a database that is not there = %v; want ErrRefused with state 3D000", err)
	}
}

// A user with read permission only can read, and gets an error on writing.
func TestReadOnly(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	owner := connect(t, server.DSN(), pgstore.Options{Schema: "pith"})
	fresh(t, owner, "/log", store.Bytes([]byte("abc")))
	pgtest.Exec(t, server.Superuser(), `CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA pith TO guest; GRANT SELECT ON ALL TABLES IN SCHEMA pith TO guest`)
	guest := connect(t, strings.Replace(server.DSN(), "user="+pgtest.User, "user=guest", 1), pgstore.Options{Schema: "pith"})
	l, err := guest.Open(t.Context(), "/log")
	if err != nil {
		t.Fatalf("Open = %v; want a log", err)
	}
	defer l.Close()
	p := make([]byte, 3)
	if n, err := l.ReadAt(p, 0); n != 3 || err != nil || string(p) != "abc" {
		t.Errorf("ReadAt = %d, %v, %q; want 3, nil, abc", n, err, p)
	}
	if _, err := l.Append(t.Context(), 3, []byte("d")); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Append = %v; want ErrReadOnly", err)
	}
	if _, err := guest.Create(t.Context(), "/other", store.Bytes([]byte("x"))); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Create = %v; want ErrReadOnly", err)
	}
}

// T10: the order of names, and which of them are equal, is that of their bytes,
// whatever the database's own is.
func TestNames(t *testing.T) {
	t.Run("bytes", func(t *testing.T) { testNames(t, connect(t, pgtest.DSN(t), pgstore.Options{})) })
	t.Run("words of a language", func(t *testing.T) {
		server := pgtest.Start(t, "fsync=off")
		pgtest.Exec(t, server.Superuser(), "CREATE DATABASE words OWNER "+pgtest.User+" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
		testNames(t, connect(t, server.DSN()+" dbname=words", pgstore.Options{Schema: "pith"}))
	})
}

func testNames(t *testing.T, s *pgstore.Store) {
	long := strings.Repeat("long/", 1000)
	names := []string{"/a/b", "/a/B", "/a/\xff\xfe not text", "/a/\u00e9", "/a/e\u0301", "/a/ß", "/a/ss", "/b", "/a/" + long + "1", "/a/" + long + "2", "/a", "\xff", "\xff\xff\xff"}
	for _, name := range names {
		fresh(t, s, name, store.Bytes([]byte(name)))
	}
	slices.Sort(names)
	for _, prefix := range []string{"", "/a", "/a/", "/a/\xff", "\xff", "\xff\xff", "/a/" + long, "/nothing"} {
		var want, got []string
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		for info, err := range s.List(t.Context(), prefix) {
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			if slices.Contains(names, info.Name) { // others share the server
				got = append(got, info.Name)
			}
			if strings.HasPrefix(info.Name, "/a") && info.Size != int64(len(info.Name)) {
				t.Errorf("List: %.20q has %d bytes; want %d", info.Name, info.Size, len(info.Name))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("List(%.20q) = %.300q; want %.300q", prefix, got, want)
		}
	}
}

func TestListManyPages(t *testing.T) {
	const logs = 25_000
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	s := connect(t, dsn, pgstore.Options{Schema: schema})
	pgtest.Exec(t, dsn, fmt.Sprintf(`INSERT INTO %s.log (name, head, key) SELECT n, n, sha256(n) FROM (SELECT ('/p/' || i)::bytea AS n FROM generate_series(1, %d) i) x`, schema, logs))
	seen := map[string]bool{}
	for info, err := range s.List(t.Context(), "/p/") {
		if err != nil || seen[info.Name] {
			t.Fatalf("List = %q, %v; want each name once", info.Name, err)
		}
		seen[info.Name] = true
	}
	if len(seen) != logs {
		t.Errorf("List gave %d names; want %d", len(seen), logs)
	}
}

func TestContextEndsCalls(t *testing.T) {
	s := connect(t, pgtest.DSN(t), pgstore.Options{})
	fresh(t, s, "/log", store.Bytes([]byte("abc")))
	ctx, cancel := context.WithCancel(t.Context())
	l, err := s.Open(ctx, "/log")
	if err != nil {
		t.Fatalf("Open = %v; want a log", err)
	}
	defer l.Close()
	cancel()
	if _, err := l.Size(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Size after the end of its context = %v; want context.Canceled", err)
	}
	if _, err := l.Append(ctx, 3, []byte("d")); !errors.Is(err, context.Canceled) {
		t.Errorf("Append after the end of its context = %v; want context.Canceled", err)
	}
	if l, err := s.Open(t.Context(), "/log"); err != nil {
		t.Errorf("Open without that context = %v; want a log", err)
	} else {
		l.Close()
	}
}

func TestCloseEndsCalls(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	s := connect(t, dsn, pgstore.Options{Schema: schema})
	blocker := connect(t, dsn, pgstore.Options{Schema: schema})
	l := fresh(t, s, "/log", store.Bytes([]byte("abc")))
	inside, release := make(chan struct{}), make(chan struct{})
	failed := make(chan error)
	go func() {
		_, err := s.Create(t.Context(), "/new", func(w io.Writer) error {
			close(inside)
			<-release
			_, err := w.Write([]byte("x"))
			return err
		})
		failed <- err
	}()
	<-inside
	s.Close()
	close(release)
	if err := <-failed; !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Create in a store that is closed meanwhile = %v; want fs.ErrClosed", err)
	}
	if _, err := l.Size(t.Context()); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Size in a closed store = %v; want fs.ErrClosed", err)
	}
	if _, err := blocker.Open(t.Context(), "/new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of what was never finished = %v; want fs.ErrNotExist", err)
	}
}

// A log that is locked for longer than the timeout gives a typed error.
func TestTimeout(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	s := connect(t, dsn, pgstore.Options{Schema: schema, Timeout: 3 * time.Second})
	l := fresh(t, s, "/log", store.Bytes([]byte("abc")))
	end := hold(t, dsn, "LOCK TABLE "+schema+".log IN ACCESS EXCLUSIVE MODE")
	if _, err := l.Append(t.Context(), 3, []byte("d")); !errors.Is(err, pgstore.ErrTimeout) || !errors.Is(err, pgstore.ErrUncertain) {
		t.Errorf("Append while the table is locked = %v; want ErrTimeout and ErrUncertain", err)
	}
	end()
	if err := persist(l, []byte("e")); err != nil {
		t.Errorf("Append after it = %v; want nil", err)
	}
}
