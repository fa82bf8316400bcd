package picker

import (
	"fmt"
	"time"
)

// age is how long ago something was, in few letters.
func age(now, then time.Time) string {
	d := now.Sub(then)
	days := int(d.Hours() / 24)
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case days < 1:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case days < 7:
		return fmt.Sprintf("%dd", days)
	case days < 30:
		return fmt.Sprintf("%dw", days/7)
	case days < 365:
		return fmt.Sprintf("%dmo", days/30)
	}
	return fmt.Sprintf("%dy", days/365)
}
