package redact_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pith-sessions/pith/redact"
)

// inEnv are lines of a .env file and the value that must not leave.
var inEnv = []struct{ line, secret string }{
	// Names that say it.
	{"DB_PASS=trustno1x", "trustno1x"},
	{"SMTP_PASS=Kn4ckwurst", "Kn4ckwurst"},
	{"REDIS_PW=r3d1spw77", "r3d1spw77"},
	{"GH_PAT=abcdefgh12345678", "abcdefgh12345678"},
	{"JWT=opaque-jwt-value-9", "opaque-jwt-value-9"},
	{"ADMIN_PIN=482913", "482913"},
	{"PASSWORD_SALT=Nq8sLwe2", "Nq8sLwe2"},
	{"HASH_PEPPER=sp1cyPepp", "sp1cyPepp"},
	{"WIFI_PSK=casa-de-papel-7", "casa-de-papel-7"},
	{"PGPASSWORD=elephant9", "elephant9"},
	{"MYSQL_PWD=dolphin77", "dolphin77"},
	{"DBPASS=glued-name-1", "glued-name-1"},
	{"TOTP_SEED=JBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXP"},
	{"WALLET_MNEMONIC=legal winner thank year wave sausage", "legal winner thank year wave sausage"},
	{"authToken=camel-case-99", "camel-case-99"},
	{"SECRET_2=numbered-name-3", "numbered-name-3"},
	// Words that only look like exceptions.
	{"PROFILE_TOKEN=prof-tok-1234", "prof-tok-1234"},
	{"REPUBLIC_PASSWORD=banana4republic", "banana4republic"},
	{"WEBSOCKET_SECRET=ws-s3cr3t-5", "ws-s3cr3t-5"},
	{"EMPATHY_KEY=emp-k3y-77", "emp-k3y-77"},
	{"PUBLICATION_TOKEN=pubtok-4711", "pubtok-4711"},
	{"DIRECTOR_PASSWORD=dir3ctor!x", "dir3ctor!x"},
	{"SOCKSHOP_TOKEN=argyle-900", "argyle-900"},
	// Passwords of letters alone.
	{"DB_PASSWORD=swordfish", "swordfish"},
	{"ROOT_PASSWORD=OpenSesame", "OpenSesame"},
	{"MAIL_PASSWORD=correcthorse", "correcthorse"},
	{"APP_SECRET=abracadabra", "abracadabra"},
	// Names that say nothing.
	{"MAILGUN=9f8e7d6c5b4a39281706f5e4d3c2b1a0", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"},
	{"SENDGRID=Xy7Kp2Lm9Qw4Rt6Z", "Xy7Kp2Lm9Qw4Rt6Z"},
	{"STRIPE=fGh7jKl9Qw2E", "fGh7jKl9Qw2E"},
	{"X=7c9e6679-7425-40de-944b-e07fc1f90ae7", "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
	{"LICENSE=ABCD1-EFGH2-IJKL3-MNOP4Q", "ABCD1-EFGH2-IJKL3-MNOP4Q"},
	{"ENCRYPTION=c29tZS1yYW5kb20tYnl0ZXM=", "c29tZS1yYW5kb20tYnl0ZXM="},
	// First characters of values.
	{"DB_PASSWORD=/aB3xyz9Q", "/aB3xyz9Q"},
	{"AES_KEY=/9j3kfLsq+Zx81kd92LsPq0aMv7Tg3A=", "/9j3kfLsq+Zx81kd92LsPq0aMv7Tg3A="},
	{"DB_PASSWORD=$uper$ecret9", "$uper$ecret9"},
	{"DB_PASSWORD='$2b$10$N9qo8uLOickgx2ZMRZoMye'", "$2b$10$N9qo8uLOickgx2ZMRZoMye"},
	{"API_KEY=~tilde/key-88", "~tilde/key-88"},
	{"API_KEY=./dots/q9Zk2Lw7Xv", "./dots/q9Zk2Lw7Xv"},
	{"API_KEY=@home-run-55", "@home-run-55"},
	// URLs.
	{"SENTRY_DSN=https://0a1b2c3d4e5f60718293a4b5c6d7e8f9@o42.ingest.sentry.io/7", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"},
	{"GIT_REMOTE=https://x8Kd02LsPq0aMv7Tg3Zq@git.internal/r.git", "x8Kd02LsPq0aMv7Tg3Zq"},
	{"SLACK_URL=https://hooks.slack.test/services/T024BE7LD/B0AB12CD3/aB3dE5fG7hI9jK1lM3nO5pQ7", "aB3dE5fG7hI9jK1lM3nO5pQ7"},
	{"RPC_URL=https://eth-mainnet.alchemy.test/v2/kD8sLq02MvZx7TgAq3Rt", "kD8sLq02MvZx7TgAq3Rt"},
	{"WEBHOOK=https://ci.test/hook?token=hook-tok-31337", "hook-tok-31337"},
	{"FEED=https://cal.test/ical.ics?k=Zq81LsPq0aMv7Tg3Xy&tz=utc", "Zq81LsPq0aMv7Tg3Xy"},
	{"DATABASE_URL=postgres://app:pl4in-pass@db:5432/app", "pl4in-pass"},
	{"DATABASE_URL=postgres://app:p/q7#r8%s9@db:5432/app", "p/q7#r8%s9"},
	{"DATABASE_URL=postgres://app:a%2Fb%23c9d8@db/app", "a/b#c9d8"},
	{"DATABASE_URL=postgres://app:a%2Fb%23c9d8@db/app", "a%2Fb%23c9d8"},
	{"DATABASE_URL=mysql://root:p@ss@word9@db/app", "p@ss@word9"},
	{"REDIS_URL=redis://:lettersonly@cache:6379/0", "lettersonly"},
	{"AMQP_URL=\"amqp://svc:rabbit-77@mq/vhost\"", "rabbit-77"},
	// Quotes, escapes, comments.
	{`DB_PASSWORD="say \"cheese\" 9"`, `say "cheese" 9`},
	{`DB_PASSWORD="say \"cheese\" 9"`, `say \"cheese\" 9`},
	{`DB_PASSWORD='single "double" 7'`, `single "double" 7`},
	{"DB_PASSWORD=`back tick 5`", "back tick 5"},
	{"DB_PASSWORD=hash#inside9", "hash#inside9"},
	{"DB_PASSWORD=before-comment4 # a comment", "before-comment4"},
	{"export DB_PASSWORD = spaced-out-6", "spaced-out-6"},
	{"DB_PASSWORD: yaml-style-8", "yaml-style-8"},
	{"SIGNING_KEY=\"first line of it 1\nsecond line of it 2\"", "first line of it 1\nsecond line of it 2"},
	{`GOOGLE='{"type":"service_account","private_key_id":"not this","private_key":"in-json-4711"}'`, "in-json-4711"},
	{"BASIC_PASSWORD=пароль-секрет", "пароль-секрет"},
}

// collected returns a Redactor for what Collect finds in the sources.
func collected(t *testing.T, from redact.Sources) *redact.Redactor {
	t.Helper()
	secrets, err := redact.Collect(from)
	if err != nil {
		t.Fatal(err)
	}
	return newRedactor(t, redact.Options{Secrets: secrets})
}

func writeFile(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Every value of a file of secrets is found where it occurs alone, whatever its
// name.
func TestValuesOfEnvFiles(t *testing.T) {
	if len(inEnv) != 64 {
		t.Errorf("%d values; the figure in the documents is of 64", len(inEnv))
	}
	missed := 0
	for _, tt := range inEnv {
		dir := t.TempDir()
		writeFile(t, "FIRST=1\n"+tt.line+"\nLAST=2\n", dir, ".env")
		out, _ := collected(t, redact.Sources{Projects: []string{dir}}).Text("the answer: " + tt.secret + "\n")
		if strings.Contains(out, tt.secret) {
			missed++
			t.Errorf("%s: Text tells %q", tt.line, tt.secret)
		}
	}
	t.Logf("%d of %d found", len(inEnv)-missed, len(inEnv))
}

// Values of such a file that are not secrets stay.
func TestSettingsOfEnvFiles(t *testing.T) {
	const file = `
PORT=8080
DEBUG=true
LOG_LEVEL=information
NODE_ENV=production
APP_NAME=storefront
HOST=db.internal.example.org
REDIS_ADDRESS=cache:6379
BIND=0.0.0.0:8000
BASE_URL=https://api.example.org/v2/users
DATA=/var/lib/storefront/data
CONFIG_FILE=./config/settings.local.json
WINDOWS_DIR=C:\Users\alice\project
AWS_REGION=eu-central-1
MODEL=gpt-4o-mini-2024-07-18
TIMEOUT=30s
MEMORY=512mb
LANGUAGE=en_US.UTF-8
CRON=*/15 * * * *
SUPPORT=help@example.org
VERSION=v1.22.3-rc1
STARTED=2026-11-16T05:39:00Z
FEATURES=search,export,redact
DB_USER=application
DB_NAME=application_production
JWT_ALGORITHM=HS256xyz
TOKEN_TTL=86400
SESSION_COOKIE_NAME=sessioncookie
TOKEN_FILE=/run/secrets/token
NEXT_PUBLIC_KEY=visible-to-all-1
STRIPE_PUBLISHABLE_KEY=pk_live_visible12345
SSH_PUBLIC_KEY=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5
API_KEY=your-key-here
OTHER_KEY=changeme123
DB_PASSWORD=postgres
THIRD_KEY=${SOMETHING_ELSE}
FOURTH_KEY=$OTHER_NAME
FIFTH_KEY=$(op read op://vault/item)
CLIENT_ID=app-client-7421
NODE_OPTIONS=--max-old-space-size=4096
GOFLAGS=-mod=vendor
SOURCE=ghcr.io/acme/app:1.2.3
PLUGIN="@acme/plugin-search"
GREETING="Hello there, it's a good day!"
ROLE=arn:aws:iam::123456789012:role/Admin
SSH_ASKPASS=ssh-askpass
`
	dir := t.TempDir()
	writeFile(t, file, dir, ".env")
	secrets, err := redact.Collect(redact.Sources{Projects: []string{dir}})
	if err != nil || len(secrets) > 0 {
		t.Errorf("Collect = %q, %v; want none", secrets, err)
	}
}

// Nor is what credentials files hold besides.
func TestSettingsOfCredentialsFiles(t *testing.T) {
	home := t.TempDir()
	writeFile(t, `{"auths":{},"credsStore":"desktop","credHelpers":{"gcr.io":"gcloud"},"currentContext":"desktop-linux"}`, home, ".docker/config.json")
	writeFile(t, "current-context: docker-desktop\nclusters:\n- cluster:\n    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURQ==\n    server: https://127.0.0.1:6443\n  name: docker-desktop\nusers:\n- name: docker-desktop\n", home, ".kube/config")
	writeFile(t, "registry=https://registry.npmjs.org/\nsave-exact=true\nauth-type=legacy\n", home, ".npmrc")
	writeFile(t, "yarnPath: .yarn/releases/yarn-4.1.0.cjs\nnodeLinker: node-modules\n", home, ".yarnrc.yml")
	writeFile(t, "[default]\nregion = eu-central-1\nrole_arn = arn:aws:iam::123456789012:role/Admin\nsource_profile = default\n", home, ".aws/credentials")
	writeFile(t, "github.com:\n    users:\n        octocat:\n    git_protocol: https\n    user: octocat\n", home, ".config/gh/hosts.yml")
	writeFile(t, "org.gradle.jvmargs=-Xmx2048m -Dfile.encoding=UTF-8\norg.gradle.parallel=true\n", home, ".gradle/gradle.properties")
	secrets, err := redact.Collect(redact.Sources{Environ: []string{"HOME=" + home}})
	if err != nil || len(secrets) > 0 {
		t.Errorf("Collect = %q, %v; want none", secrets, err)
	}
}

// Credentials files of common tools are read, and files of secrets by any of their
// names, in the project and above it.
func TestFilesOfSecrets(t *testing.T) {
	auth := base64.StdEncoding.EncodeToString([]byte("me:docker-pw-1"))
	home := map[string]struct{ text, secret string }{
		".netrc":                  {"machine git.test\n  login me\n  password netrc-pw-1\n", "netrc-pw-1"},
		".pgpass":                 {"# x\ndb:5432:*:me:pg\\:pass-2\n", "pg:pass-2"},
		".my.cnf":                 {"[client]\nuser=me\npassword=\"mycnf-pw-3\"\n", "mycnf-pw-3"},
		".npmrc":                  {"//registry.test/:_authToken=7c9e6679-7425-40de-944b-e07fc1f90ae7\n", "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
		".pypirc":                 {"[pypi]\nusername = __token__\npassword = pypi-pw-4\n", "pypi-pw-4"},
		".git-credentials":        {"https://me:gitcred-pw-5@git.test\n", "gitcred-pw-5"},
		".vault-token":            {"vault-token-6\n", "vault-token-6"},
		".aws/credentials":        {"[default]\naws_access_key_id = x\naws_secret_access_key = abc/def+ghi7\n", "abc/def+ghi7"},
		".docker/config.json":     {`{"auths":{"https://r.test/v1/":{"auth":"` + auth + `"}}}`, "docker-pw-1"},
		".kube/config":            {"users:\n- name: me\n  user:\n    token: kube-token-8\n", "kube-token-8"},
		".config/gh/hosts.yml":    {"github.com:\n    user: me\n    oauth_token: gh-host-token-9\n", "gh-host-token-9"},
		".cargo/credentials.toml": {"[registry]\ntoken = \"cargo-token-10\"\n", "cargo-token-10"},
		".gem/credentials":        {"---\n:rubygems_api_key: gem-key-11\n", "gem-key-11"},
		".m2/settings.xml":        {"<server>\n  <password>maven-pw-12</password>\n</server>\n", "maven-pw-12"},
		".composer/auth.json":     {`{"http-basic":{"r.test":{"username":"me","password":"composer-pw-13"}}}`, "composer-pw-13"},
	}
	dir := t.TempDir()
	project := filepath.Join(dir, "src", "app", "inner")
	for name, f := range home {
		writeFile(t, f.text, dir, name)
	}
	inProject := []string{".env", ".env.production", ".env-staging", ".envrc", "deploy.env", ".dev.vars", ".flaskenv", "../.env", "../../.envrc"}
	for i, name := range inProject {
		writeFile(t, fmt.Sprintf("export API_TOKEN=project-%d-token\n", i), project, name)
	}
	writeFile(t, "SOME_TOKEN=not-below-home\n", filepath.Dir(dir), "above.env")
	units := utf16.Encode([]rune("\ufeffAPI_TOKEN=wide-token-14\r\n"))
	little, big := make([]byte, 2*len(units)), make([]byte, 2*len(units))
	for i, unit := range units {
		binary.LittleEndian.PutUint16(little[2*i:], unit)
		binary.BigEndian.PutUint16(big[2*i:], unit+boolean(unit == '4'))
	}
	writeFile(t, string(little), project, ".env.little")
	writeFile(t, string(big[2:]), project, ".env.big")

	from := redact.Sources{Environ: []string{"HOME=" + dir}, Projects: []string{project}}
	r := collected(t, from)
	want := []string{"wide-token-14", "wide-token-15"}
	for _, f := range home {
		want = append(want, f.secret)
	}
	for i := range inProject {
		want = append(want, fmt.Sprintf("project-%d-token", i))
	}
	for _, secret := range want {
		if out, _ := r.Text("see " + secret); strings.Contains(out, secret) {
			t.Errorf("Text tells %q", secret)
		}
	}
	if out, _ := r.Text("see not-below-home"); out != "see not-below-home" {
		t.Errorf("Text = %q; the file is above the home folder", out)
	}
	listed := map[string]bool{}
	for _, path := range from.Paths() {
		listed[path] = true
	}
	for _, path := range []string{filepath.Join(dir, ".netrc"), project, filepath.Dir(project), filepath.Join(project, ".env"), filepath.Join(dir, "src", ".envrc")} {
		if !listed[path] {
			t.Errorf("Paths does not list %s", path)
		}
	}
}

func boolean(b bool) uint16 {
	if b {
		return 1
	}
	return 0
}

// Elsewhere the parents end at the root of the repository.
func TestParentsEndAtTheRepository(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, "TOKEN=outside-token-1\n", dir, ".env")
	writeFile(t, "", dir, "repo", ".git", "HEAD")
	writeFile(t, "TOKEN=inside-token-1\n", dir, "repo", ".env")
	r := collected(t, redact.Sources{Environ: []string{"HOME=" + filepath.Join(dir, "nobody")}, Projects: []string{filepath.Join(dir, "repo", "a", "b")}})
	if out, _ := r.Text("inside-token-1"); out == "inside-token-1" {
		t.Error("the file at the root of the repository was not read")
	}
	if out, _ := r.Text("outside-token-1"); out != "outside-token-1" {
		t.Error("a file outside of the repository was read")
	}
}

// A short value is found only where it is a word of its own.
func TestShortSecrets(t *testing.T) {
	r := newRedactor(t, redact.Options{Secrets: []redact.Secret{{Name: "pin", Value: "482913"}}})
	if out, _ := r.Text("pin 482913, build 14829137, abc482913"); out != "pin [redacted:pin#1], build 14829137, abc482913" {
		t.Errorf("Text = %q", out)
	}
}
