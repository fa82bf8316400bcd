package cli_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/doctor"
)

// docs/cli.md has every code once, in the row of its severity.
func TestDocumentNamesEveryCode(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range doctor.Codes() {
		row := regexp.MustCompile(`(?m)^\| ` + code.Severity().String() + `: .*$`).FindString(string(doc))
		if !strings.Contains(row, "`"+string(code)+"`") {
			t.Errorf("docs/cli.md does not name %s among the codes of severity %s", code, code.Severity())
		}
	}
}
