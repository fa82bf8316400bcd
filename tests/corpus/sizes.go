package corpus

import "math"

// A distribution describes the lengths of lines of a kind. Between two points
// the length grows exponentially, which gives the few very long lines that real
// sessions have. Medians and tails are those of real sessions; the points
// between are chosen so that 52,000 entries come to 100 MB.
type distribution []struct {
	share float64 // of all lines
	bytes float64 // the length of the longest of them
}

var (
	userSizes = distribution{
		{0, 186}, {0.25, 205}, {0.5, 238}, {0.75, 340}, {0.9, 520}, {0.99, 2500}, {0.999, 9000}, {1, 40000},
	}
	assistantSizes = distribution{
		{0, 560}, {0.25, 690}, {0.5, 790}, {0.75, 1250}, {0.9, 2300}, {0.99, 11500}, {0.999, 40000}, {1, 57500},
	}
	resultSizes = distribution{
		{0, 290}, {0.25, 560}, {0.5, 1090}, {0.75, 1950}, {0.9, 3700}, {0.99, 21000}, {0.999, 80000}, {1, 116000},
	}
	roundsPerTurn = distribution{{0, 1}, {0.25, 2}, {0.5, 4}, {0.75, 8}, {0.9, 20}, {0.99, 45}, {1, 73}}
	sessionShares = distribution{{0, 0.02}, {0.25, 0.12}, {0.5, 0.4}, {0.75, 1.2}, {0.9, 2.6}, {0.99, 7}, {1, 16}}
)

// draw returns a random length.
func (d distribution) draw(r *random) int { return int(d.at(r.unit())) }

// at returns the length below which the given share of all lines lies.
func (d distribution) at(share float64) float64 {
	i := 1
	for i < len(d)-1 && d[i].share < share {
		i++
	}
	low, high := d[i-1], d[i]
	along := (share - low.share) / (high.share - low.share)
	// The compiler may fuse operations differently on another machine. The
	// rounding removes the last bits, so that the result is the same.
	return math.Round(low.bytes*math.Pow(high.bytes/low.bytes, along)*1024) / 1024
}
