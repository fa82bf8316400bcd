package main

import (
	"slices"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	events := `{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestGood"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"quiet\n"}
{"Action":"pass","Package":"a","Test":"TestGood","Elapsed":65}
{"Action":"run","Package":"a","Test":"TestBad"}
{"Action":"run","Package":"a","Test":"TestBad/inner"}
{"Action":"output","Package":"a","Test":"TestBad/inner","Output":"    why\n"}
{"Action":"fail","Package":"a","Test":"TestBad/inner","Elapsed":0.1}
{"Action":"output","Package":"a","Test":"TestBad","Output":"--- FAIL: TestBad\n"}
{"Action":"fail","Package":"a","Test":"TestBad","Elapsed":0.1}
{"Action":"output","Package":"a","Test":"TestNot","Output":"    a_test.go:7: no disk\n"}
{"Action":"skip","Package":"a","Test":"TestNot","Elapsed":0}
{"Action":"skip","Package":"a","Test":"TestGood/inner","Elapsed":0}
{"Action":"output","Package":"a","Output":"FAIL\n"}
{"Action":"fail","Package":"a","Elapsed":1.25}
{"Action":"output","Package":"b","Output":"ok  \tb\t(cached)\n"}
{"Action":"pass","Package":"b","Elapsed":0}
{"Action":"skip","Package":"c","Elapsed":0}
{"ImportPath":"d","Action":"build-output","Output":"d.go:1: wrong\n"}
a line of something else
`
	var out strings.Builder
	var count tally
	report(strings.NewReader(events), &out, &count)
	want := "    why\n--- FAIL: TestBad\nFAIL\nFAIL a 1.2s\nok   b 0.0s (cached)\nd.go:1: wrong\na line of something else\n"
	if out.String() != want {
		t.Errorf("report printed %q; want %q", out.String(), want)
	}
	if count.packages != 2 || count.tests != 2 || count.failed != 1 {
		t.Errorf("report counted %+v; want 2 packages, 2 tests, 1 failed", count)
	}
	if skipped := []skip{{"a TestNot", "no disk"}, {"a TestGood/inner", ""}}; !slices.Equal(count.skipped, skipped) {
		t.Errorf("report found skipped %q; want %q", count.skipped, skipped)
	}
	if got := count.slowest(); got != "    1m5s a TestGood\n" {
		t.Errorf("slowest() = %q; want TestGood alone", got)
	}
	if got := count.summary(); got != "; 2 tests in 2 packages, 2 skipped" {
		t.Errorf("summary() = %q", got)
	}
}
