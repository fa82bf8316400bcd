package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/transcript"
)

// longLines is a conversation of n entries: questions, calls, results, answers.
func longLines(n int) []string {
	filler := strings.Repeat(`some text\nof a file, `, 40)
	lines := make([]string, 0, n)
	for i := 0; len(lines) < n; i++ {
		id := fmt.Sprint("call_", i)
		lines = append(lines,
			`"message","message":`+userMessage(filler[:200]),
			`"message","message":`+calling("toolUse", id),
			`"message","message":`+strings.Replace(result(id), `"r"`, `"`+filler+`"`, 1),
			`"message","message":`+answering("stop", `{"type":"text","text":"`+filler+`"}`))
	}
	return lines[:n]
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{500, 5_000, 50_000} {
		p := chain(b, longLines(n)...)
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan, err := transcript.Build(p, transcript.Origin{})
				if err != nil || len(plan.Steps) != n {
					b.Fatalf("Build = %d steps, %v; want %d", len(plan.Steps), err, n)
				}
			}
		})
	}
}

func BenchmarkMessages(b *testing.B) {
	const n = 50_000
	p := chain(b, longLines(n)...)
	p.direct = true
	plan, err := transcript.Build(p, transcript.Origin{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(p.log)))
	b.ReportAllocs()
	for b.Loop() {
		count := 0
		for _, err := range plan.Messages(p) {
			if err != nil {
				b.Fatal(err)
			}
			count++
		}
		if count != n {
			b.Fatalf("%d messages, want %d", count, n)
		}
	}
}

// Contexts that make a naive repair quadratic: one ID for all calls, results
// far after their calls, one response with all calls.
func BenchmarkRepair(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		_, valid := collect(b, chain(b, longLines(n)...))
		var late, results, sameID []string
		ids := make([]string, n/2)
		for i := range ids {
			ids[i] = fmt.Sprint("call_", i)
			late = append(late, calling("toolUse", ids[i]))
			results = append(results, result(ids[i]))
			sameID = append(sameID, calling("toolUse", "call"), result("call"))
		}
		for name, msgs := range map[string][]transcript.Message{
			"valid":      valid,
			"late":       messages(append(late, results...)...),
			"sameID":     messages(sameID...),
			"oneAnswer":  messages(append([]string{calling("toolUse", ids...)}, results...)...),
			"unanswered": messages(late...),
			"orphans":    messages(results...),
		} {
			size := 0
			for _, m := range msgs {
				size += len(m.Raw)
			}
			b.Run(fmt.Sprintf("%s/messages=%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if out, _ := transcript.Repair(msgs); len(out) == 0 {
						b.Fatal("Repair returned nothing")
					}
				}
			})
		}
	}
}
