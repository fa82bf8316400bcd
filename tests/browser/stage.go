package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// A Host opens pages: a test, or a command through [Run]. Its methods are those
// of testing.TB.
type Host interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
	Cleanup(func())
	TempDir() string
	Context() context.Context
}

// Run opens pages for a command. It returns the failures as an error.
func Run(ctx context.Context, do func(Host)) (err error) {
	s := &stage{ctx: ctx}
	defer func() {
		for _, end := range slices.Backward(s.cleanups) {
			end()
		}
	}()
	defer func() {
		if caught := recover(); caught != nil {
			fatal, ok := caught.(fatal)
			if !ok {
				panic(caught)
			}
			s.errs = append(s.errs, fatal.err)
		}
		err = errors.Join(s.errs...)
	}()
	do(s)
	return nil
}

// stage is the Host of a command.
type stage struct {
	ctx      context.Context // the context of Run, as testing.TB has one too
	cleanups []func()
	errs     []error
}

type fatal struct{ err error }

func (s *stage) Helper()                         {}
func (s *stage) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
func (s *stage) Errorf(format string, args ...any) {
	s.errs = append(s.errs, fmt.Errorf(format, args...))
}
func (s *stage) Fatal(args ...any)                 { panic(fatal{errors.New(fmt.Sprint(args...))}) }
func (s *stage) Fatalf(format string, args ...any) { panic(fatal{fmt.Errorf(format, args...)}) }
func (s *stage) Skip(args ...any)                  { s.Fatal(args...) }
func (s *stage) Cleanup(end func())                { s.cleanups = append(s.cleanups, end) }
func (s *stage) Context() context.Context          { return s.ctx }

func (s *stage) TempDir() string {
	dir, err := os.MkdirTemp("", "browser-")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
