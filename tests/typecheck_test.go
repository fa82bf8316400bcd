package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A fault that only one system's files have, in code or in a test, is seen from
// another system; and a sound module passes everywhere.
func TestTypecheck(t *testing.T) {
	const sound = "package a\n\nimport \"os\"\n\nfunc Name() string { return os.Getenv(\"A\") }\n"
	read := newSources()
	for _, tt := range []struct {
		name, file, text string
		goos             string
		want             string // part of the error; "" for none
	}{
		{"sound", "b.go", "package a\n\nvar B = Name()\n", "windows", ""},
		{"windows alone", "b_windows.go", "package a\n\nvar B int = Name()\n", "windows", "b_windows.go:3"},
		{"seen from linux", "b_windows.go", "package a\n\nvar B int = Name()\n", "linux", ""},
		{"a test", "b_darwin_test.go", "package a_test\n\nimport \"example.com/a\"\n\nvar B int = a.Name()\n", "darwin", "b_darwin_test.go:5"},
		{"a body", "b.go", "package a\n\nfunc B() { return 1 }\n", "darwin", "b.go:3"},
		{"an import that is not there", "b.go", "package a\n\nimport _ \"example.com/a/none\"\n", "linux", "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"go.mod": "module example.com/a\n\ngo 1.26\n", "a.go": sound, tt.file: tt.text} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			err := typecheck(context.Background(), read, tt.goos, "arm64")
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("typecheck(%s) = %v, want nil", tt.goos, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("typecheck(%s) = %v, want an error with %q", tt.goos, err, tt.want)
			}
		})
	}
}
