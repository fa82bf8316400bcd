package marks

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostTag is the maximum number of characters in a tag.
const mostTag = 64

// CheckTag returns an error unless tag is one word that can be typed,
// distinguished from a flag, and listed with commas.
func CheckTag(tag string) error {
	switch {
	case tag == "":
		return errors.New("the tag is empty")
	case utf8.RuneCountInString(tag) > mostTag:
		return fmt.Errorf("tag %.20q… is longer than %d characters", tag, mostTag)
	case strings.HasPrefix(tag, "-") || strings.HasPrefix(tag, "+"):
		return fmt.Errorf("tag %q starts with + or -", tag)
	case !utf8.ValidString(tag) || strings.ContainsFunc(tag, func(r rune) bool { return r == ',' || unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return fmt.Errorf("tag %q contains a comma, a space or an invisible character", tag)
	}
	return nil
}
