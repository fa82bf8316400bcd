// Package pgtest provides a real PostgreSQL server to tests. It starts the
// installed one in a temporary directory, with a Unix socket and no port, and
// never as root. The variable PITH_TEST_DSN names another server to use.
//
// If there is no server, the test is skipped.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/tests/tools"
)

// Variable is the environment variable that names the server to use instead of
// starting one.
const Variable = "PITH_TEST_DSN"

// User owns the database of a Server. It is not a superuser.
const User = "pith"

// A Server is a PostgreSQL server for tests.
type Server struct {
	bin, dir string
	settings []string
	process  *process
}

// shared is the server shared by the tests of a package.
var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// pristine is the data directory of a server that was never started. Copying it
// takes a tenth of the time of making it.
var pristine struct {
	sync.Mutex
	dir string
}

// Main runs a package's tests and stops the shared server. It is for TestMain:
// os.Exit(pgtest.Main(m)).
func Main(m *testing.M) int {
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.Remove()
	}
	_ = os.RemoveAll(pristine.dir) // in the temporary directory
	return code
}

// DSN returns the connection string of a database shared by the tests of a
// package. Its server does not wait for the disk. Use a Schema for each test.
func DSN(tb testing.TB) string {
	tb.Helper()
	if dsn := os.Getenv(Variable); dsn != "" {
		return dsn
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = Launch("fsync=off", "max_connections=200")
	}
	demand(tb, shared.err)
	return shared.server.DSN()
}

var schemas atomic.Int64

// Schema returns the name of a schema that does not exist yet. It is dropped at
// the end of the test.
func Schema(tb testing.TB) string {
	tb.Helper()
	name := fmt.Sprintf("pith_test_%d_%d", os.Getpid(), schemas.Add(1))
	dsn := DSN(tb)
	tb.Cleanup(func() {
		Exec(tb, dsn, "DROP SCHEMA IF EXISTS "+name+" CASCADE")
	})
	return name
}

// Person creates a role that can only log in, and returns its name and its
// connection string. The role is dropped at the end of the test.
func Person(tb testing.TB, name string) (role, dsn string) {
	tb.Helper()
	if os.Getenv(Variable) != "" {
		tb.Skipf("needs roles, which are not made in the server that %s names", Variable)
	}
	_ = DSN(tb) // starts it
	role = fmt.Sprintf("%s_%d_%d", name, os.Getpid(), schemas.Add(1))
	super := shared.server.Superuser()
	Exec(tb, super, "CREATE ROLE "+role+" LOGIN")
	tb.Cleanup(func() {
		Exec(tb, super, "DROP OWNED BY "+role)
		Exec(tb, super, "DROP ROLE "+role)
	})
	return role, shared.server.dsn(role, User)
}

// Superuser returns the connection string for the superuser of the shared
// server.
func Superuser(tb testing.TB) string {
	tb.Helper()
	if os.Getenv(Variable) != "" {
		tb.Skipf("needs a superuser, who is not taken in the server that %s names", Variable)
	}
	_ = DSN(tb) // starts it
	return shared.server.Superuser()
}

// Exec runs statements in a database.
func Exec(tb testing.TB, dsn, sql string) {
	tb.Helper()
	if err := execute(dsn, sql); err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
}

// Dump returns the output of pg_dump for the database of [DSN].
func Dump(tb testing.TB) []byte {
	tb.Helper()
	super := Superuser(tb)
	out, err := exec.Command(filepath.Join(shared.server.bin, "pg_dump"), "-d", super).Output()
	if err != nil {
		tb.Fatalf("pg_dump: %v", err)
	}
	return out
}

// Start starts a server for one test, with settings such as "fsync=off". The
// test may stop it. It keeps its data until the test ends.
func Start(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s, err := Launch(settings...)
	demand(tb, err)
	tb.Cleanup(s.Remove)
	return s
}

// demand skips the test if there is no server.
func demand(tb testing.TB, err error) {
	tb.Helper()
	if missing, ok := errors.AsType[*tools.MissingError](err); ok {
		tools.Need(tb, "a real server", missing)
	}
	if err != nil {
		tb.Fatalf("start PostgreSQL: %v", err)
	}
}

// Launch creates and starts a new server with a database owned by User, for a
// program that is not a test. The caller removes it.
func Launch(settings ...string) (*Server, error) {
	program, err := tools.Find("postgres")
	if err != nil {
		return nil, err
	}
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: filepath.Dir(program), dir: dir, settings: settings}
	if err := s.initialize(); err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// folder returns a new directory that a server can use.
func folder() (string, error) {
	dir, err := os.MkdirTemp("", "pith-pg-") // short, because the path of a socket is limited
	if err != nil {
		return "", err
	}
	return dir, giveAway(dir)
}

func (s *Server) initialize() error {
	if err := s.makeData(); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	return execute(s.dsn("postgres", "postgres"), "CREATE ROLE "+User+" LOGIN; ", "CREATE DATABASE "+User+" OWNER "+User)
}

func (s *Server) makeData() error {
	pristine.Lock()
	defer pristine.Unlock()
	if pristine.dir == "" {
		dir, err := folder()
		if err != nil {
			return err
		}
		if err := s.do(filepath.Join(s.bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust",
			"-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--wal-segsize=1"); err != nil {
			_ = os.RemoveAll(dir) // in the temporary directory
			return err
		}
		pristine.dir = dir
	}
	return s.do("cp", "-R", filepath.Join(pristine.dir, "data"), s.data())
}

// do runs a program as the server's user.
func (s *Server) do(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = s.dir
	unprivileged(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, out)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) dsn(user, database string) string {
	return fmt.Sprintf("host=%s user=%s dbname=%s", s.dir, user, database)
}

// DSN returns the connection string of the server's database, for its owner.
func (s *Server) DSN() string { return s.dsn(User, User) }

// Superuser returns the connection string for a superuser, for test setup.
func (s *Server) Superuser() string { return s.dsn("postgres", User) }

// AsUser returns dsn for another user.
func (s *Server) AsUser(dsn, user string) string {
	dsn = strings.Replace(dsn, "user="+User, "user="+user, 1)
	if strings.Contains(dsn, "port=6432") {
		dsn = strings.Replace(dsn, "dbname="+User, "dbname="+user, 1)
	}
	return dsn
}

// Dir returns the directory of the server's socket, whose port is 5432.
func (s *Server) Dir() string { return s.dir }

// Start starts the server again after it was stopped.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	if err := s.start(); err != nil {
		tb.Fatalf("start PostgreSQL: %v", err)
	}
}

// Crash stops the server like "pg_ctl stop -m immediate": without flushing, so
// that it recovers when it is started.
func (s *Server) Crash() { s.process.stop(immediate) }

// Stop shuts the server down and closes its connections.
func (s *Server) Stop() { s.process.stop(fast) }

// KeepTablesIn makes the server store tables that User creates from now on in
// dir, such as on a small disk. The server's own files stay where they are.
func (s *Server) KeepTablesIn(tb testing.TB, dir string) {
	tb.Helper()
	for _, at := range []string{filepath.Dir(dir), dir} { // the server must be able to enter them
		if err := os.Chmod(at, 0o711); err != nil {
			tb.Fatal(err)
		}
	}
	if err := giveAway(dir); err != nil {
		tb.Fatal(err)
	}
	Exec(tb, s.Superuser(), "CREATE TABLESPACE elsewhere OWNER "+User+" LOCATION '"+dir+"'")
	Exec(tb, s.Superuser(), "ALTER ROLE "+User+" SET default_tablespace = elsewhere")
}

func (s *Server) start() error {
	args := []string{"-D", s.data(), "-k", s.dir, "-c", "listen_addresses="}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	cmd.Dir = s.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	unprivileged(cmd)
	p, err := startProcess(cmd)
	if err != nil {
		return err
	}
	s.process = p
	if err := s.await(); err != nil {
		p.stop(immediate)
		return fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	return nil
}

// await waits until the server accepts connections.
func (s *Server) await() error {
	deadline := time.After(time.Minute)
	for {
		err := execute(s.dsn("postgres", "postgres"), "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-s.process.done:
			return errors.New("the server ended")
		case <-deadline:
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Remove stops the server and deletes its data.
func (s *Server) Remove() {
	if s.process != nil {
		s.process.stop(immediate)
	}
	_ = os.RemoveAll(s.dir) // in the temporary directory
}

func execute(dsn string, statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for _, sql := range statements {
		if _, err := c.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// process is a running server.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// stop sends a signal and waits for the end.
func (p *process) stop(how os.Signal) {
	_ = p.cmd.Process.Signal(how) // it may have ended
	<-p.done
}

// Pooler starts pgbouncer in transaction mode in front of the server, and
// returns the connection string for the server's database through it, as User.
// Other users connect through it with AsUser.
func (s *Server) Pooler(tb testing.TB, others ...string) string {
	tb.Helper()
	program := tools.Require(tb, "pgbouncer")
	config := "[databases]\n"
	for _, user := range append(others, User) { // one database each, because pgbouncer does not pass the user name on
		config += fmt.Sprintf("%[2]s = host=%[1]s port=5432 user=%[2]s dbname=%[3]s\n", s.dir, user, User)
	}
	config += fmt.Sprintf("[pgbouncer]\nlisten_addr=\nlisten_port=6432\nunix_socket_dir=%[1]s\nauth_type=any\npool_mode=transaction\ndefault_pool_size=3\nlogfile=%[1]s/bouncer.log\npidfile=\n", s.dir)
	file := filepath.Join(s.dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		tb.Fatal(err)
	}
	Command(tb, program, "-q", file)
	return fmt.Sprintf("host=%s port=6432 user=%s dbname=%s", s.dir, User, User)
}

// Command runs a program alongside a server until the test ends, as the user
// that the server runs as.
func Command(tb testing.TB, program string, args ...string) {
	tb.Helper()
	cmd := exec.Command(program, args...)
	unprivileged(cmd)
	p, err := startProcess(cmd)
	if err != nil {
		tb.Fatalf("start %s: %v", program, err)
	}
	tb.Cleanup(func() { p.stop(fast) })
}
