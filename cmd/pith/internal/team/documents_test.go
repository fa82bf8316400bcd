package team_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/pgtest"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestDocumentedCommands runs the commands of the guides for teams and for two machines
// against PostgreSQL. Ana runs them, except in a block in which Bob sets PITH_STORE.
func TestDocumentedCommands(t *testing.T) {
	for _, page := range []string{"team.md", "two-machines.md"} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../../../../docs/how-to", page))
			if err != nil {
				t.Fatal(err)
			}
			super := pgtest.Superuser(t)
			anaName, ana := pgtest.Person(t, "ana")
			bobName, bob := pgtest.Person(t, "bob")
			pgtest.Exec(t, super, "DROP SCHEMA IF EXISTS pith_team CASCADE")
			pgtest.Exec(t, super, "DO $$ BEGIN CREATE ROLE backend; EXCEPTION WHEN duplicate_object THEN END $$")
			owner := newDesk(t, pgtest.DSN(t), "owner")
			people := map[string]*desk{"ana": newDesk(t, ana, "laptop"), "bob": newDesk(t, bob, "desktop")}
			people["ana"].local("demo", filepath.Join(people["ana"].home, ".pi", "agent", "sessions", "--demo--"))
			who, ran := people["ana"], 0
			for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
				who = people["ana"]
				for line := range strings.Lines(block[1]) {
					words := strings.Fields(line)
					for i, word := range words {
						words[i] = strings.NewReplacer("~", who.home, "ana/", anaName+"/").Replace(word)
						switch word {
						case "ana":
							words[i] = anaName
						case "bob":
							words[i] = bobName
						}
					}
					switch {
					case strings.HasPrefix(line, "export PITH_STORE=postgres://bob"):
						who = people["bob"]
					case words[0] == "mkdir":
						if err := os.MkdirAll(words[len(words)-1], 0o700); err != nil {
							t.Fatal(err)
						}
					case words[0] != "pith":
					case words[1] == "team" && words[2] == "init": // the owner of the database does it
						owner.do(words[1:]...)
						ran++
					default:
						if slices.Contains(words, "--watch") { // this does not end
							words = append(words, "--help")
						}
						if slices.Contains(words, "purge") {
							words = append(words, "--yes")
						}
						who.do(words[1:]...)
						ran++
					}
				}
			}
			if ran < 5 {
				t.Errorf("%d commands found", ran)
			}
		})
	}
}
