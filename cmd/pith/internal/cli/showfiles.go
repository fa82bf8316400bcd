package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
)

// files prints the files that tools read and modified, with the exchanges. They
// are in the order of their weight, so a budget cuts the list at its end.
func (v *showing) files(ctx context.Context) error {
	uses, err := v.reading.Files(ctx, v.chosen.Indexes)
	if err != nil {
		return err
	}
	all := grid{head: []string{"file", "edited in", "written in", "read in"}}
	for i := range uses {
		u := &uses[i]
		t := toneDim
		if u.Modified() {
			t = toneNone
		}
		all.add(t, oneLine(v.homely(string(u.Path))), numbers(u.Edited), numbers(u.Written), numbers(u.Read))
	}
	return v.within(func(room int64) error {
		shown := 0
		for shown < len(uses) {
			if room -= inspect.Tokens(rowText(all.rows[shown])); room < 0 && shown > 0 {
				break
			}
			shown++
		}
		v.lost = loss{}
		if shown < len(uses) {
			v.lost = loss{elements: len(uses) - shown, what: "file", through: -1}
		}
		if v.isJSON() {
			return v.filesJSON(uses[:shown])
		}
		v.title()
		switch {
		case len(uses) > 0:
			g := all
			g.rows, g.tones = all.rows[:shown], all.tones[:shown]
			v.printGrid(&g)
		case len(v.chosen.Indexes) > 0:
			v.out.print("\nno files were read or modified\n")
		}
		v.end()
		return nil
	})
}

func (v *showing) filesJSON(uses []inspect.FileUse) error {
	if err := v.openJSON("files", 0); err != nil {
		return err
	}
	for i := range uses {
		if err := v.jsonElement(i == 0, uses[i]); err != nil {
			return err
		}
	}
	return v.closeJSON()
}

// shownNumbers is how many exchanges are named for reading; of more, the last
// ones.
const shownNumbers = 12

// numbers lists numbers that rise, runs of them as ranges. Where there are many
// it tells how many, and the last of them.
func numbers(list []int) string {
	parts := ranges(list)
	if len(parts) > shownNumbers {
		return fmt.Sprintf("%s, last %s", humanize.Count(len(list), "exchange"), strings.Join(parts[len(parts)-shownNumbers/2:], " "))
	}
	return strings.Join(parts, " ")
}

func ranges(list []int) []string {
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		if k > i+1 {
			parts = append(parts, fmt.Sprintf("%d–%d", list[i], list[k]))
			i = k + 1
			continue
		}
		parts = append(parts, fmt.Sprint(list[i]))
		i++
	}
	return parts
}
