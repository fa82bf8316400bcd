package sources

import (
	"cmp"
	"strconv"
	"strings"
)

// Newer reports whether a version is newer than another. Only dots separate
// their numbers; what is not a number counts as 0.
func Newer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i]) // 0 if it is none
		n, _ := strconv.Atoi(y[i])
		if c := cmp.Compare(m, n); c != 0 {
			return c > 0
		}
	}
	return len(x) > len(y)
}
