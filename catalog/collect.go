package catalog

import "time"

// A Collector collects the facts of a session from its lines. The zero value is
// ready to use.
type Collector struct {
	facts facts
	size  int64
	bad   bool
}

// Line adds the next line of the session, without its line ending.
func (c *Collector) Line(line []byte) {
	if !c.bad && !c.facts.stopped {
		c.facts.query = query{internal: true}
		c.bad = c.facts.line(line, c.size, int64(len(line))+1) != nil
	}
	c.size += int64(len(line)) + 1
}

// Info returns the facts of the lines so far, with the recorded costs only. Its
// Path is empty, and written is the time of the file. ok is false if the lines are not a session of a version
// whose entries have ids.
func (c *Collector) Info(written time.Time) (_ Info, ok bool) {
	if c.bad || !c.facts.hasHeader || c.facts.stopped || c.facts.head.Version < 2 {
		return Info{}, false
	}
	info := c.facts.info(&file{in: &place{}, modified: written}, c.size)
	info.FirstMessage = info.FirstMessage[:shortEnd(info.FirstMessage)]
	info.Spent = c.facts.spent
	return info, true
}
