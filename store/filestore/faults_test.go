package filestore_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/storetest"
)

// A script is what happens at each write of a store, one after the other; then
// writes are as always.
type script []func(f *os.File, p []byte) (int, error)

func (s *script) write(f *os.File, p []byte) (int, error) {
	if len(*s) == 0 {
		return filestore.WriteOnce(f, p)
	}
	step := (*s)[0]
	*s = (*s)[1:]
	return step(f, p)
}

// half writes the first half of p and reports success, as a write that the
// system breaks off does.
func half(f *os.File, p []byte) (int, error) { return filestore.WriteOnce(f, p[:len(p)/2]) }

// broken writes nothing and fails.
func broken(*os.File, []byte) (int, error) { return 0, syscall.EIO }

// stranger lets a program without locks write before step.
func stranger(line string, step func(*os.File, []byte) (int, error)) func(*os.File, []byte) (int, error) {
	return func(f *os.File, p []byte) (int, error) {
		if err := appendLockless(f.Name(), []byte(line)); err != nil {
			return 0, err
		}
		return step(f, p)
	}
}

// pitfalls 24, 25, 170: whatever happens to a write, the next append does not
// run into what is left of it.
func TestAppendFaults(t *testing.T) {
	tests := map[string]struct {
		script script
		off    int64  // returned by the append of "12345678\n" to "a\n"
		err    string // part of the error; empty when the append works
		file   string // afterwards
	}{
		"fails at once":                 {script{broken}, 0, "input/output error", "a\n"},
		"half, then fails":              {script{half, broken}, 0, "input/output error", "a\n"},
		"half, then the rest":           {script{half}, 2, "", "a\n12345678\n"},
		"half, half, then fails":        {script{half, half, broken}, 0, "input/output error", "a\n"},
		"stranger first":                {script{stranger("x\n", filestore.WriteOnce)}, 4, "", "a\nx\n12345678\n"},
		"stranger in the middle":        {script{half, stranger("x\n", filestore.WriteOnce)}, 0, "into the middle", "a\n1234x\n5678\n"},
		"stranger after a half":         {script{half, stranger("x\n", broken)}, 0, "another program wrote after it", "a\n1234x\n"},
		"stranger without a line's end": {script{half, stranger("x", broken)}, 0, "ended by a newline", "a\n1234x\n"},
		"stranger, and nothing works":   {script{half, stranger("x", broken), broken}, 0, "not ended by a newline", "a\n1234x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := newFile(t, "a\n")
			l := open(t, filestore.New(filestore.Options{}).WithWrite(tt.script.write), file)
			off, err := l.Append(t.Context(), 2, []byte("12345678\n"))
			if off != tt.off || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Append(2) = %d, %v; want %d, %q", off, err, tt.off, tt.err)
			}
			if err != nil && tt.file == "a\n" && strings.Contains(err.Error(), "left") {
				t.Errorf("Append(2) = %v; nothing is left", err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "append to "+file+": ") {
				t.Errorf("Append(2) = %v; want that it names the file", err)
			}
			if got := read(t, file); got != tt.file {
				t.Errorf("the file holds %q; want %q", got, tt.file)
			}
			size := int64(len(tt.file))
			if size != 2 {
				if _, err := l.Append(t.Context(), 2, []byte("b\n")); !errors.Is(err, store.ErrConflict) {
					t.Errorf("Append(2) again = %v; want a conflict", err)
				}
			}
			if off, err := l.Append(t.Context(), size, []byte("b\n")); off != size || err != nil {
				t.Errorf("Append(%d) = %d, %v; want %d, nil", size, off, err, size)
			}
		})
	}
}

// A program that cuts the file while an append is under way.
func TestAppendToFileBeingCut(t *testing.T) { // pitfall 32
	for size, want := range map[int64]string{0: "", 1: "a", 3: "a\nb", 4: "a\nb\n", 5: "a\nb\nc\n"} {
		file := newFile(t, "a\nb\n")
		cut := func(f *os.File, p []byte) (int, error) {
			n, err := filestore.WriteOnce(f, p)
			return n, errors.Join(err, os.Truncate(f.Name(), size))
		}
		steps := script{cut}
		l := open(t, filestore.New(filestore.Options{}).WithWrite(steps.write), file)
		off, err := l.Append(t.Context(), 4, []byte("c\n"))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("cut the file to %d bytes", size)) {
			t.Errorf("Append = %d, %v; want an error that says that the file was cut to %d bytes", off, err, size)
		}
		if got := read(t, file); got != want || size <= 4 && strings.Contains(fmt.Sprint(err), "left") {
			t.Errorf("the file holds %q, want %q; the error is %v", got, want, err)
		}
	}
}

func TestSyncAlways(t *testing.T) { // pitfall 42
	syncs, fail := 0, error(nil)
	s := filestore.New(filestore.Options{Sync: filestore.SyncAlways}).WithSync(func(f *os.File) error {
		syncs++
		return errors.Join(fail, f.Sync())
	})
	file := newFile(t, "a\n")
	l := open(t, s, file)
	if _, err := l.Append(t.Context(), 2, []byte("b\n")); err != nil || syncs != 1 {
		t.Errorf("Append = %v after %d syncs; want nil after 1", err, syncs)
	}
	// Data that is not durable is neither reported as written nor left in the
	// file.
	fail = syscall.EIO
	if _, err := l.Append(t.Context(), 4, []byte("c\n")); !errors.Is(err, syscall.EIO) {
		t.Errorf("Append with a failing sync = %v; want EIO", err)
	}
	if got := read(t, file); got != "a\nb\n" {
		t.Errorf("the file holds %q; want %q", got, "a\nb\n")
	}
	if err := l.Sync(t.Context()); !errors.Is(err, syscall.EIO) {
		t.Errorf("Sync = %v; want EIO", err)
	}
	// A new log is durable before it has its name.
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if _, err := s.Create(t.Context(), name, store.Bytes([]byte("a\n"))); !errors.Is(err, syscall.EIO) {
		t.Errorf("Create with a failing sync = %v; want EIO", err)
	}
	if all, err := os.ReadDir(filepath.Dir(name)); len(all) != 0 || err != nil {
		t.Errorf("ReadDir after the failed Create = %v, %v; want nothing", all, err)
	}
}

// An error of a fill is not an error of its file.
func TestFillErrors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.jsonl")
	source := &fs.PathError{Op: "open", Path: "/source.jsonl", Err: fs.ErrPermission}
	_, err := filestore.New(filestore.Options{}).Create(t.Context(), name, func(io.Writer) error { return fmt.Errorf("copy: %w", source) })
	if !errors.Is(err, source) || errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), "copy: open /source.jsonl") {
		t.Errorf("Create = %v; want the error of the fill, whole, and not ErrReadOnly", err)
	}
}

// noLinks is what os.Link answers on file systems without hard links.
func noLinks(from, to string) error {
	return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.ENOTSUP}
}

func TestContractWithoutHardLinks(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		return removing{filestore.New(filestore.Options{}).WithLink(noLinks)}
	})
}

// pitfalls 167, 170: what a program without locks writes during an exchange is
// in the new file too.
func TestReplaceCarriesOver(t *testing.T) {
	file := newFile(t, "old\n")
	s := filestore.New(filestore.Options{}).WithLink(func(from, to string) error {
		return errors.Join(os.Link(from, to), appendLockless(file, []byte("from pi\n")))
	})
	next, err := s.Replace(t.Context(), open(t, s, file), 4, store.Bytes([]byte("new\n")), file+".bak")
	if err != nil {
		t.Fatalf("Replace = %v; want a log", err)
	}
	defer next.Close()
	if got := read(t, file); got != "new\nfrom pi\n" {
		t.Errorf("the file holds %q; want %q", got, "new\nfrom pi\n")
	}
	if got := read(t, file+".bak"); got != "old\nfrom pi\n" {
		t.Errorf("the backup holds %q; want %q", got, "old\nfrom pi\n")
	}
}

// A program that opened the file before the exchange and writes to it a moment after
// loses nothing either, however often it does.
func TestReplaceLooksAgain(t *testing.T) {
	file := newFile(t, "old\n")
	slow, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	waits := 0
	s := filestore.New(filestore.Options{}).WithWait(func(d time.Duration) {
		if waits++; d == 0 {
			return
		}
		fmt.Fprintf(slow, "late %d\n", waits)
		if err := appendLockless(file, []byte("to the new file\n")); err != nil {
			t.Error(err)
		}
	})
	next, err := s.Replace(t.Context(), open(t, s, file), 4, store.Bytes([]byte("new\n")), "")
	if err != nil {
		t.Fatalf("Replace = %v; want a log", err)
	}
	defer next.Close()
	want := "new\n"
	for i := 2; i <= waits; i++ {
		want += fmt.Sprintf("to the new file\nlate %d\n", i)
	}
	if got := read(t, file); waits < 2 || got != want {
		t.Errorf("after %d looks the file holds %q; want %q", waits, got, want)
	}
}

// A crash between backup and rename leaves the file with two names. The same
// Replace, done again, goes through.
func TestReplaceAfterCrash(t *testing.T) {
	file := newFile(t, "old\n")
	if err := os.Link(file, file+".bak"); err != nil {
		t.Fatal(err)
	}
	s := filestore.New(filestore.Options{})
	next, err := s.Replace(t.Context(), open(t, s, file), 4, store.Bytes([]byte("new\n")), file+".bak")
	if err != nil {
		t.Fatalf("Replace = %v; want a log", err)
	}
	defer next.Close()
	if got := read(t, file) + read(t, file+".bak"); got != "new\nold\n" {
		t.Errorf("file and backup hold %q; want %q", got, "new\nold\n")
	}
}

// No operation leaves pith's own files next to a log.
func TestNoLitter(t *testing.T) { // pitfall 35
	for name, link := range map[string]func(string, string) error{"links": os.Link, "no links": noLinks} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "log.jsonl")
			s := filestore.New(filestore.Options{}).WithLink(link)
			l, err := s.Create(t.Context(), file, store.Bytes([]byte("a\n")))
			if err != nil {
				t.Fatalf("Create = %v; want a log", err)
			}
			defer l.Close()
			if _, err := s.Create(t.Context(), file, store.Bytes([]byte("a\n"))); !errors.Is(err, store.ErrExist) {
				t.Errorf("Create again = %v; want ErrExist", err)
			}
			next, err := s.Replace(t.Context(), l, 2, store.Bytes([]byte("b\n")), file+".bak")
			if err != nil {
				t.Fatalf("Replace = %v; want a log", err)
			}
			defer next.Close()
			if _, err := s.Replace(t.Context(), next, 2, store.Bytes([]byte("c\n")), file+".bak"); !errors.Is(err, store.ErrExist) {
				t.Errorf("Replace with a taken backup name = %v; want ErrExist", err)
			}
			func() {
				defer func() { recover() }()
				s.Create(t.Context(), filepath.Join(dir, "panic.jsonl"), nil)
			}()
			all, err := filepath.Glob(filepath.Join(dir, "*"))
			hidden, err2 := filepath.Glob(filepath.Join(dir, ".*"))
			if len(all) != 2 || len(hidden) != 0 || err != nil || err2 != nil {
				t.Errorf("the folder holds %q and %q; want the log and its backup", all, hidden)
			}
		})
	}
}
