package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// A machine is where the figures were taken.
type machine struct {
	System     string `json:"system"`
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	Memory     string `json:"memory,omitempty"`
	Go         string `json:"go"`
	LoadBefore string `json:"loadBefore,omitempty"` // of the last minute; an idle machine has 0
	LoadAfter  string `json:"loadAfter,omitempty"`
}

func describeMachine() machine {
	m := machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: "CPU of unknown make", Cores: runtime.NumCPU(), Go: runtime.Version(),
		LoadBefore: loadAverage(),
	}
	if name := fieldOf("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	var kB float64
	if _, err := fmt.Sscan(fieldOf("/proc/meminfo", "MemTotal"), &kB); err == nil {
		m.Memory = digits(kB*1024/1e9) + " GB"
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System += " " + strings.TrimSpace(string(release))
	}
	return m
}

// fieldOf is the first value of a "name: value" line in a file of the system;
// "" where there is none, as on every system but Linux.
func fieldOf(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(data), " ")
	return load
}

// preamble says where, with what and how the figures were taken.
func (r *report) preamble() []string {
	m := r.Machine
	where := fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)
	if m.Memory != "" {
		where += ", " + m.Memory
	}
	lines := []string{where, fmt.Sprintf("%s; %s", m.System, m.Go)}
	for _, p := range r.Pi {
		lines = append(lines, fmt.Sprintf("pi %s on Node %s", p.Version, p.Node))
	}
	lines = append(lines, fmt.Sprintf("%s, took %s; median of %d runs of pith and %d of pi; page cache warm",
		r.Started.Format("2006-01-02 15:04 UTC"), secondsUnit.text(r.Seconds), r.Runs, r.PiRuns))
	if m.LoadBefore != "" {
		lines = append(lines, fmt.Sprintf("load of the machine before: %s, after: %s", m.LoadBefore, m.LoadAfter))
	}
	return lines
}
