package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// floorFile is preallocated, as the data file of a long-lived daemon is.
const floorFile = 64 << 20

// serveFloor is a floor's own process until it fails or is killed: durable writes one by one (sync), gathered (group), or an echo.
func serveFloor(kind, socket string) error {
	if kind == "keys" {
		return serveEcho()
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(filepath.Dir(socket), "floor.dat"))
	if err != nil {
		return err
	}
	if err := preallocate(f); err != nil {
		return fmt.Errorf("preallocate: %w", err)
	}
	handle := map[string]func([]byte) error{"sync": writer(f), "group": grouped(f), "echo": func([]byte) error { return nil }}[kind]
	for {
		nc, err := l.Accept()
		if err != nil {
			return err
		}
		go floorConn(nc, kind == "echo", handle)
	}
}

func floorConn(nc net.Conn, echo bool, handle func([]byte) error) {
	defer func() { _ = nc.Close() }()
	r := bufio.NewReaderSize(nc, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil || handle(line) != nil {
			return
		}
		reply := []byte("ok\n")
		if echo {
			reply = line
		}
		if _, err := nc.Write(reply); err != nil {
			return
		}
	}
}

// writer makes each record durable by itself.
func writer(f *os.File) func([]byte) error {
	var at int64
	return func(b []byte) error {
		if at+int64(len(b)) > floorFile {
			at = 0
		}
		if _, err := f.WriteAt(b, at); err != nil {
			return err
		}
		at += int64(len(b))
		return syncData(f)
	}
}

type pendingWrite struct {
	data []byte
	done chan error
}

// grouped makes whatever waits durable with one sync.
func grouped(f *os.File) func([]byte) error {
	queue := make(chan pendingWrite, 1024)
	write := writer(f)
	go func() {
		for first := range queue {
			all := []pendingWrite{first}
			var buf strings.Builder
			buf.Write(first.data)
			for len(queue) > 0 {
				next := <-queue
				all = append(all, next)
				buf.Write(next.data)
			}
			err := write([]byte(buf.String()))
			for _, p := range all {
				p.done <- err
			}
		}
	}()
	return func(b []byte) error {
		done := make(chan error, 1)
		queue <- pendingWrite{b, done}
		return <-done
	}
}

// floorClient is one connection to a floor.
type floorClient struct {
	nc net.Conn
	r  *bufio.Reader
}

func (c *floorClient) send(line []byte) error {
	if _, err := c.nc.Write(line); err != nil {
		return err
	}
	_, err := c.r.ReadSlice('\n')
	return err
}
