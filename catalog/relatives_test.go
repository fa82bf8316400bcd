package catalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
)

// New sessions go where the user works: on a machine with Atomic alone to Atomic's
// folder. Relatives that only renamed pi's folder are found.
func TestRootsOfRelatives(t *testing.T) {
	tests := map[string]struct {
		folders []string
		env     map[string]string
		want    []string // name and folder, the writable one first
	}{
		"Atomic alone":         {[]string{".atomic/agent/sessions"}, nil, []string{"atomic .atomic/agent/sessions"}},
		"Atomic and pi":        {[]string{".atomic/agent/sessions", ".pi/agent/sessions"}, nil, []string{"pi .pi/agent/sessions", "atomic .atomic/agent/sessions"}},
		"Atomic by a variable": {[]string{"a/sessions"}, map[string]string{"ATOMIC_CODING_AGENT_DIR": "~/a"}, []string{"pi a/sessions"}},
		"another relative":     {[]string{".pi/agent/sessions", ".kin/agent/sessions"}, nil, []string{"pi .pi/agent/sessions", "kin .kin/agent/sessions"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for _, dir := range tt.folders {
				if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			roots := catalog.Roots(catalog.Options{Home: home, Getenv: func(name string) string { return tt.env[name] }}, home)
			var got []string
			for _, r := range roots {
				dir, _ := filepath.Rel(home, r.Dir)
				got = append(got, r.Name+" "+filepath.ToSlash(dir))
			}
			if len(got) != len(tt.want) || !roots[0].Writable {
				t.Fatalf("Roots = %q, want %q", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("Roots = %q, want %q", got, tt.want)
				}
			}
		})
	}
}
