package jsonl_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// pitfall 19
func TestLoneHalves(t *testing.T) {
	tests := map[string][]int{ // their offsets
		``:                               nil,
		`plain é`:                        nil,
		`\ud83d`:                         {0},
		`\uD83D \uDE00`:                  {0, 7},
		`\ude00\ud83d`:                   {0, 6},
		`\ud83d\ud83d\ude00`:             {0},
		`\ud83d\ude00`:                   nil,
		`\uD83D\uDE00\uDFFF`:             {12},
		`\ud83dx\ude00`:                  {0, 7},
		`\ud83d\n`:                       {0},
		`\ud83d\u0041`:                   {0},
		`\ud800\udbff\udc00\udfff`:       {0, 18},
		`\\ud83d`:                        nil,
		`\\\ud83d`:                       {2},
		`\n\\\"\ud83d\ude00\\\\\u00e9 x`: nil,
		`\ud7ff\ue000`:                   nil,
		`\ud8`:                           nil, // cut
		`\ud83`:                          nil,
		`\ud8zz\ud83d`:                   {6}, // no escape
		`\`:                              nil,
		`\ud83d\`:                        {0},
		`\ud83d\ude0`:                    {0},
	}
	for text, want := range tests {
		var got []int
		for i := jsonl.NextLoneHalf([]byte(text), 0); i >= 0; i = jsonl.NextLoneHalf([]byte(text), i+6) {
			got = append(got, i)
		}
		if has := jsonl.HasLoneHalf([]byte(text)); !slices.Equal(got, want) || has != (len(want) > 0) {
			t.Errorf("%s: halves at %v, HasLoneHalf = %t; want %v", text, got, has, want)
		}
		// The result of String is not UTF-8 for the same reason.
		if s, ok := jsonl.String([]byte(`"` + text + `"`)); ok && utf8.ValidString(s) != (len(want) == 0) {
			t.Errorf("String(%s) = %q; want halves: %t", text, s, len(want) > 0)
		}
	}
}
