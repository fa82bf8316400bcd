package cli

import (
	"context"
	"fmt"
	"strings"
)

// files prints the files that tools read and modified, with the exchanges.
func (v *showing) files(ctx context.Context) error {
	uses, err := v.reading.Files(ctx, v.chosen.Indexes)
	if err != nil {
		return err
	}
	if v.isJSON() {
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
	v.title()
	g := grid{head: []string{"file", "edited in", "written in", "read in"}}
	for i := range uses {
		u := &uses[i]
		t := toneDim
		if u.Modified() {
			t = toneNone
		}
		g.add(t, oneLine(v.homely(string(u.Path))), numbers(u.Edited), numbers(u.Written), numbers(u.Read))
	}
	if len(uses) == 0 {
		v.out.print("\nno files were read or modified\n")
	} else {
		v.printGrid(&g)
	}
	v.printFindings(v.findings())
	v.printPage(0, 0)
	return nil
}

// numbers lists numbers that rise, runs of them as ranges.
func numbers(list []int) string {
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
	return strings.Join(parts, " ")
}
