package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// printMachine prints where, with what and how the figures were taken.
func (b *bench) printMachine(w io.Writer) {
	cpu := fieldOf("/proc/cpuinfo", "model name")
	if cpu == "" {
		cpu = "CPU of unknown make"
	}
	fmt.Fprintf(w, "- %s, %d cores; %s/%s; %s\n", cpu, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	fmt.Fprintf(w, "- %s; median of %d runs of pith and %d of other programs; page cache warm\n", time.Now().UTC().Format("2006-01-02 15:04 UTC"), b.runs, b.peerRuns)
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ := strings.Cut(string(data), " ")
		fmt.Fprintf(w, "- load of the machine before: %s\n", load)
	}
}

// ownPeak returns the peak resident memory of this process; zero if the system
// does not report it. It does not use getrusage, whose figure a child inherits
// from its parent.
func ownPeak() int64 { return peakOf(os.Getpid()) }

// peakOf is ownPeak for another process.
func peakOf(pid int) int64 {
	var kB int64
	if _, err := fmt.Sscan(fieldOf(fmt.Sprintf("/proc/%d/status", pid), "VmHWM"), &kB); err != nil {
		return 0
	}
	return kB << 10
}

// fieldOf returns the first value of a "name: value" line in a file of the
// system; "" if there is none, as on every system but Linux.
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
