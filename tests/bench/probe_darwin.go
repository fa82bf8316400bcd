package main

import (
	"os"
	"syscall"
	"time"
)

// ownPeak is the most memory that this process had resident.
func ownPeak() int64 { return resources().Maxrss }

// ownCPU is the CPU time of all threads of this process so far.
func ownCPU() time.Duration {
	u := resources()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func resources() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for the process itself
	return u
}

// processCPU is the CPU time of another process; here it cannot be had.
func processCPU(int) (_ time.Duration, ok bool) { return 0, false }

// childPeak is the most memory that a child that ended had resident.
func childPeak(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss
	}
	return 0
}
