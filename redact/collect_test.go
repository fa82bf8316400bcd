package redact_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

func TestCollect(t *testing.T) {
	agent, project := t.TempDir(), t.TempDir()
	files := map[string]string{
		filepath.Join(agent, "auth.json"): `{"anthropic":{"type":"oauth","access":"acc-77aa88bb99","refresh":"ref-11cc22dd33","expires":1,"accountId":"not-this-1234"},
			"openai":{"type":"api_key","key":"key-from-auth-1"},"viaenv":{"type":"api_key","key":"$OPENAI"}}`,
		filepath.Join(agent, "models.json"): `{"providers":{"local":{"baseUrl":"http://localhost:8080/v1","apiKey":"LOCAL_KEY","models":[{"id":"llama-3-70b-instruct"}]},
			"direct":{"apiKey":"literal-key-99","headers":{"X-Auth":"header-value-7"}},"run":{"apiKey":"!op read something1"}}}`,
		filepath.Join(project, ".env"):         "# DB_PASSWORD=in-a-comment-1\nexport DB_PASSWORD='pa$$ w0rd long'\nPORT=8080\nDATABASE_URL=postgres://u:dbpass42x@h/db\nDEBUG=true # x\n",
		filepath.Join(project, ".env.local"):   "API_TOKEN=local-token-5 # why\n",
		filepath.Join(project, ".env.example"): "API_TOKEN=template-token-5\n",
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secrets, err := redact.Collect(redact.Sources{
		AgentDir: agent,
		Environ: []string{"LOCAL_KEY=plainwords", "GITHUB_TOKEN=env-token-123", "HOME=/home/alice9999", "SSH_AUTH_SOCK=/tmp/ssh-1234/agent.1", "PWD=/tmp/tmp.3zUh8xI61s", "OLDPWD=/tmp/x8Kq27tLwzP",
			"API_KEY=changeme123", "LS_COLORS=rs=0:di=01;34", "SOMETHING=q8Zk2Lw9Xv4Rt7Yb1Nc6Mf3H", "TERM_SESSION_ID=01a1e12a-eea8-7050-a031-60f35b86e621", "TOKEN="},
		Projects: []string{project, filepath.Join(project, "missing")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range secrets {
		got = append(got, s.Name+" "+s.Value)
	}
	want := []string{
		"anthropic acc-77aa88bb99", "anthropic ref-11cc22dd33", "openai key-from-auth-1",
		"local plainwords", "direct literal-key-99", "direct header-value-7",
		"GITHUB_TOKEN env-token-123", "SOMETHING q8Zk2Lw9Xv4Rt7Yb1Nc6Mf3H",
		"DB_PASSWORD pa$$ w0rd long", "DATABASE_URL dbpass42x", "API_TOKEN local-token-5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Collect\n got %q\nwant %q", got, want)
	}
}

func TestCollectDamaged(t *testing.T) {
	agent := t.TempDir()
	file := filepath.Join(agent, "auth.json")
	if err := os.WriteFile(file, []byte(`{"openai":`), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets, err := redact.Collect(redact.Sources{AgentDir: agent, Environ: []string{"GITHUB_TOKEN=env-token-123"}})
	var bad *redact.SourceError
	if !errors.As(err, &bad) || bad.File != file || !errors.Is(err, redact.ErrNotJSON) || len(secrets) != 1 {
		t.Errorf("Collect = %v, %v; want one secret and ErrNotJSON of %s", secrets, err, file)
	}
}
