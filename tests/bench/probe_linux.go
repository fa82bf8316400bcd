package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownPeak is the most memory that this process had resident. It is not taken
// from getrusage, whose figure a child inherits from its parent.
func ownPeak() int64 {
	var kB int64
	if _, err := fmt.Sscan(fieldOf("/proc/self/status", "VmHWM"), &kB); err != nil {
		return 0
	}
	return kB << 10
}

// ownCPU is the CPU time of all threads of this process so far.
func ownCPU() time.Duration {
	d, _ := clock(unix.CLOCK_PROCESS_CPUTIME_ID)
	return d
}

// processCPU is the CPU time of all threads of a process so far. ok is false
// when it cannot be had.
func processCPU(pid int) (_ time.Duration, ok bool) {
	// The kernel builds the id of a process's clock from the process id; 2
	// selects the time that the scheduler counted.
	return clock(int32(^pid<<3 | 2))
}

func clock(id int32) (time.Duration, bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// childPeak is the most memory that a child that ended had resident. It is at
// least what this process has, which is little.
func childPeak(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10
	}
	return 0
}
