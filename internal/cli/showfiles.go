package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/reader"
)

// files prints the files that tools read and modified, with the exchanges. They
// are in the order of their weight, so a budget cuts the list at its end.
func (v *showing) files(ctx context.Context) error {
	uses, err := v.reading.Files(ctx, v.chosen.Indexes)
	if err != nil {
		return err
	}
	g := grid{head: []string{"file", "edited in", "written in", "read in"}}
	room := v.roomForPieces() - reader.Tokens(rowText(g.head))
	shown := 0
	for i := range uses {
		u := &uses[i]
		t := toneDim
		if u.Modified() {
			t = toneNone
		}
		cells := []string{oneLine(v.homely(string(u.Path))), numbers(u.Edited), numbers(u.Written), numbers(u.Read)}
		if room -= reader.Tokens(rowText(cells)); v.flags.given("budget") && room < 0 && i > 0 {
			break
		}
		g.add(t, cells...)
		shown++
	}
	if shown < len(uses) {
		v.lost = loss{elements: len(uses) - shown, what: "file", through: -1}
	}
	if v.isJSON() {
		if err := v.openJSON("files", 0); err != nil {
			return err
		}
		for i := range shown {
			if err := v.jsonElement(i == 0, uses[i]); err != nil {
				return err
			}
		}
		return v.closeJSON()
	}
	v.title()
	switch {
	case len(uses) > 0:
		v.printGrid(&g)
	case len(v.chosen.Indexes) > 0:
		v.out.print("\nno files were read or modified\n")
	}
	v.end()
	return nil
}

// shownNumbers is how many exchanges are named for reading; of more, the last
// ones.
const shownNumbers = 12

// numbers lists numbers that rise, runs of them as ranges. Where there are many
// it tells how many, and the last of them.
func numbers(list []int) string {
	parts := ranges(list)
	if len(parts) > shownNumbers {
		return fmt.Sprintf("%s, last %s", counted(len(list), "exchange"), strings.Join(parts[len(parts)-shownNumbers/2:], " "))
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
