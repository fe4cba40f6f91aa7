package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// operations is how many operations make one round of a latency row.
const operations = 20

func acceptRow(size int) func(*bench) (string, error) {
	return func(b *bench) (string, error) {
		f, a, err := b.pair("sync")
		if err != nil {
			return "", err
		}
		args := arguments(size)
		line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
		return b.compare(operations, func() error { return f.send(line) }, func() error { return a.accept(args) })
	}
}

// pair starts a floor and an askd and connects to both.
func (b *bench) pair(kind string) (*floorClient, *asker, error) {
	floor, err := b.startFloor(kind)
	if err != nil {
		return nil, nil, err
	}
	f, err := dialFloor(floor)
	if err != nil {
		return nil, nil, err
	}
	d, err := b.startAskd("")
	if err != nil {
		return nil, nil, err
	}
	a, err := dialAsker(d.socket, "bench")
	return f, a, err
}

func roundTripRow(b *bench) (string, error) {
	f, a, err := b.pair("sync")
	if err != nil {
		return "", err
	}
	args := arguments(1 << 10)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	return b.compare(operations, func() error { return f.send(line) }, func() error { return a.whole(args) })
}

func refusedRow(b *bench) (string, error) {
	f, a, err := b.pair("echo")
	if err != nil {
		return "", err
	}
	args := strings.Replace(arguments(4<<10), `"prompt":"Which?"`, `"prompt":""`, 1)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	return b.compare(10*operations, func() error { return f.send(line) }, func() error {
		n, _, err := a.ask(args)
		if err != nil {
			return err
		}
		return a.until(fmt.Sprintf(`"id":%d,`, n))
	})
}

// throughputRow compares how many durable asks a second 64 connections get through.
func throughputRow(b *bench) (string, error) {
	const connections, span = 64, 300 * time.Millisecond
	floor, err := b.startFloor("group")
	if err != nil {
		return "", err
	}
	var floors []func() error
	var asks []func() error
	args := arguments(4 << 10)
	line := append(bytes.Repeat([]byte("x"), len(args)), '\n')
	d, err := b.startAskd("")
	if err != nil {
		return "", err
	}
	for i := range connections {
		f, err := dialFloor(floor)
		if err != nil {
			return "", err
		}
		a, err := dialAsker(d.socket, "bench-"+strconv.Itoa(i))
		if err != nil {
			return "", err
		}
		floors = append(floors, func() error { return f.send(line) })
		asks = append(asks, func() error { return a.accept(args) })
	}
	var ratios []float64
	for range b.rounds {
		f := rate(floors, span)
		ratios = append(ratios, rate(asks, span)/f)
	}
	return spread(ratios), nil
}

// rate is how many operations all the given ones get done in a second, side by side.
func rate(ops []func() error, span time.Duration) float64 {
	var n atomic.Int64
	var wg sync.WaitGroup
	end := time.Now().Add(span)
	begin := time.Now()
	for _, op := range ops {
		wg.Go(func() {
			for time.Now().Before(end) && op() == nil {
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(begin).Seconds()
}
