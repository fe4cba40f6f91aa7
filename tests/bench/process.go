package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// memoryRow is what an idle askd without a pane keeps to itself: what is mapped of the data file is the page cache's.
func memoryRow(large bool) func(*bench) (string, error) {
	return func(b *bench) (string, error) {
		path, err := b.dataFile(large)
		if err != nil {
			return "", err
		}
		d, err := b.startAskd(path)
		if err != nil {
			return "", err
		}
		all, err := field(processFile(d.process, "status"), "VmRSS")
		if err != nil {
			return "", err
		}
		mapped, err := fieldOf(d.data, processFile(d.process, "smaps"))
		return fmt.Sprintf("%.1f MB", (all-mapped)/1024), err
	}
}

// fieldOf is the resident part of one mapped file, in KiB.
func fieldOf(mapped, smaps string) (float64, error) {
	raw, err := os.ReadFile(smaps)
	m := regexp.MustCompile(regexp.QuoteMeta(mapped) + `\n(?:.*\n)*?Rss:\s+(\d+)`).FindSubmatch(raw)
	if err != nil || m == nil {
		return 0, err
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

func processFile(p *exec.Cmd, name string) string {
	return fmt.Sprintf("/proc/%d/%s", p.Process.Pid, name)
}

func idleRow(b *bench) (string, error) {
	const span = 10 * time.Second
	d, err := b.startAskd("")
	if err != nil {
		return "", err
	}
	time.Sleep(time.Second) // start-up is not idling
	before, err := switches(d.process)
	if err != nil {
		return "", err
	}
	time.Sleep(span)
	after, err := switches(d.process)
	return fmt.Sprintf("%.2f", (after-before)/span.Seconds()), err
}

// switches adds up the context switches of all the process's threads.
func switches(p *exec.Cmd) (float64, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.Process.Pid))
	total := 0.0
	for _, t := range tasks {
		for _, name := range []string{"voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"} {
			n, err := field(t, name)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, err
}

func field(path, name string) (float64, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	m := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+)`).FindSubmatch(raw)
	if m == nil {
		return 0, fmt.Errorf("%s has no %s", path, name)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

func binaryRow(b *bench) (string, error) {
	info, err := os.Stat(b.askd)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), nil
}
