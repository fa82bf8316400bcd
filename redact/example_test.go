package redact_test

import (
	"fmt"

	"github.com/pith-sessions/pith/redact"
)

func Example() {
	r, err := redact.New(redact.Options{
		Secrets: []redact.Secret{{Name: "STAGING_KEY", Value: "blue-horse-42"}},
		Names:   redact.Names{Home: "/home/alice"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	line, found := r.Line([]byte(`{"cwd":"/home/alice/shop","text":"curl -H 'X-Key: blue-horse-42' https://bob:s3cretpw@host/"}`))
	fmt.Println(string(line))
	for _, f := range found {
		fmt.Println(f.Kind, f.Rule, f.Path)
	}
	// Output:
	// {"cwd":"[redacted:home#1]/shop","text":"curl -H 'X-Key: [redacted:staging-key#1]' https://bob:[redacted:url-password#1]@host/"}
	// name home /cwd
	// known staging-key /text
	// rule url-password /text
}
