package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
)

// filterFlags are the flags that choose among sessions, as they were typed.
type filterFlags struct {
	project, since, until, model, name string
	status                             []string
	minSize, maxSize                   string
}

func (f *filterFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.project, "project", "", "only sessions whose project's path contains `TEXT`; implies --all")
	cmd.Flags().StringVar(&f.since, "since", "", "only sessions used since `TIME`: 2026-01-31, or an age like 12h, 7d, 2w, 3mo")
	cmd.Flags().StringVar(&f.until, "until", "", "only sessions last used until `TIME`")
	cmd.Flags().StringVar(&f.model, "model", "", "only sessions whose last model contains `TEXT`")
	cmd.Flags().StringVar(&f.name, "name", "", "only sessions whose name contains `TEXT`")
	cmd.Flags().StringSliceVar(&f.status, "status", nil, "only sessions in this `STATE`, or in one of several: "+statusWords())
	cmd.Flags().StringVar(&f.minSize, "min-size", "", "only sessions of at least `SIZE`, like 500KB or 10MB")
	cmd.Flags().StringVar(&f.maxSize, "max-size", "", "only sessions of at most `SIZE`")
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(words(catalog.Statuses), cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

// words are the names in a list of them.
func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

func statusWords() string { return strings.Join(words(catalog.Statuses), ", ") }

// filter is what the flags mean at a moment.
func (f *filterFlags) filter(now time.Time) (catalog.Filter, error) {
	out := catalog.Filter{Project: f.project, Model: f.model, Name: f.name}
	var err error
	if out.Since, err = sessionTime("since", f.since, now, catalog.ParseMoment); err != nil {
		return out, err
	}
	if out.Until, err = sessionTime("until", f.until, now, catalog.ParseEnd); err != nil {
		return out, err
	}
	if out.MinSize, err = sessionSize("min-size", f.minSize); err != nil {
		return out, err
	}
	if out.MaxSize, err = sessionSize("max-size", f.maxSize); err != nil {
		return out, err
	}
	for _, word := range f.status {
		if !slices.Contains(catalog.Statuses, catalog.Status(word)) {
			return out, usagef("--status %q: choose among %s", word, statusWords())
		}
		out.Statuses = append(out.Statuses, catalog.Status(word))
	}
	return out, nil
}

// sessionTime reads a time that a person typed.
func sessionTime(flag, text string, now time.Time, parse func(string, time.Time) (time.Time, bool)) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, ok := parse(text, now)
	if !ok {
		return t, usagef("--%s %q is no time; write a date like 2026-01-31 or 2026-01-31T15:04, or an age like 12h, 7d, 2w, 3mo", flag, text)
	}
	return t, nil
}

// sessionSize reads a size that a person typed.
func sessionSize(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	number := strings.TrimRight(strings.ToUpper(text), "BKMGTI ")
	n, err := strconv.ParseFloat(number, 64)
	unit := strings.TrimSuffix(strings.TrimSpace(strings.ToUpper(text)[len(number):]), "B")
	factors := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}
	factor, ok := factors[unit]
	if err != nil || !ok || !(n >= 0 && n*factor <= 1e18) { // NaN is neither
		return 0, usagef("--%s %q is no size; write one like 500KB or 10MB", flag, text)
	}
	return int64(n * factor), nil
}

// arguments are the flags as a command line has them.
func (f *filterFlags) arguments() []string {
	var args []string
	for _, v := range [][2]string{
		{"project", f.project}, {"since", f.since}, {"until", f.until}, {"model", f.model}, {"name", f.name},
		{"status", strings.Join(f.status, ",")}, {"min-size", f.minSize}, {"max-size", f.maxSize},
	} {
		if v[1] != "" {
			args = append(args, fmt.Sprintf("--%s", v[0]), v[1])
		}
	}
	return args
}
