package tests

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// farHost is a host that ssh reaches: a real sshd on the loopback with keys, users and folders of its own.
type farHost struct {
	t       *testing.T
	dir     string
	port    int
	runtime string // XDG_RUNTIME_DIR there
	socket  string // where agents there look for askd
	config  string // of the ssh client
	bin     string // a folder of the PATH there
	sshd    *process
}

// newFarHost starts the host "farbox".
func newFarHost(t *testing.T) *farHost {
	t.Helper()
	dir := newPlace(t).dir
	h := &farHost{t: t, dir: dir, runtime: filepath.Join(dir, "run"), config: filepath.Join(dir, "ssh.conf"), bin: filepath.Join(dir, "bin")}
	h.socket = filepath.Join(h.runtime, "askd", "askd.sock")
	for _, name := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("make a key: %v\n%s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	server := fmt.Sprintf("ListenAddress 127.0.0.1\nPort %d\nHostKey %s/host\nAuthorizedKeysFile %s/user.pub\nStrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nSetEnv XDG_RUNTIME_DIR=%s HOME=%s PATH=%s:/usr/bin:/bin\n",
		h.port, dir, dir, h.runtime, dir, h.bin)
	client := fmt.Sprintf("Host farbox\n HostName 127.0.0.1\n Port %d\n User %s\n IdentityFile %s/user\n IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s/known\n StrictHostKeyChecking accept-new\n BatchMode yes\n",
		h.port, me.Username, dir, dir)
	err = errorsOf(os.WriteFile(filepath.Join(dir, "sshd.conf"), []byte(server), 0o600), os.WriteFile(h.config, []byte(client), 0o600),
		os.Mkdir(h.bin, 0o700), os.Mkdir(h.runtime, 0o700))
	if os.Getuid() == 0 {
		err = errorsOf(err, os.MkdirAll("/run/sshd", 0o755)) // where sshd shuts a part of itself in
	}
	if err != nil {
		t.Fatal(err)
	}
	h.start()
	return h
}

// start runs sshd. Everything of it is one session of processes, which stop ends together.
func (h *farHost) start() {
	h.t.Helper()
	program, err := exec.LookPath("sshd")
	if err != nil {
		program = "/usr/sbin/sshd" // in the PATH of root alone
	}
	cmd := exec.Command(program, "-D", "-e", "-f", filepath.Join(h.dir, "sshd.conf"))
	h.sshd = started(h.t, cmd)
	within(h.t, "sshd", func() bool { return strings.Contains(h.sshd.stderr.String(), "Server listening") })
}

// stop ends sshd and all of its connections, as when the host goes down.
func (h *farHost) stop() {
	h.t.Helper()
	for _, pid := range descendants(h.sshd.pid()) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	h.sshd.stop(h.t, syscall.SIGKILL)
}

// descendants are the processes under one, the deepest first.
func descendants(pid int) (all []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			all = append(append(all, descendants(child)...), child)
		}
	}
	return all
}

// forward runs askctl forward to the host.
func (h *farHost) forward(p place, args ...string) *process {
	h.t.Helper()
	cmd := exec.Command(program(h.t, "askctl"), append(append([]string{"forward"}, args...), "farbox", "--", "-F", h.config)...)
	cmd.Env = p.env()
	return started(h.t, cmd)
}

// says waits for words of a program.
func says(t *testing.T, proc *process, words string) {
	t.Helper()
	within(t, "the words "+words, func() bool {
		select {
		case <-proc.ended:
			if !strings.Contains(proc.stderr.String(), words) {
				t.Fatalf("it ended without the words %q:\n%s", words, proc.stderr)
			}
		default:
		}
		return strings.Contains(proc.stderr.String(), words)
	})
}

// there is how programs on the host run: agents find the socket where it is by itself.
func (h *farHost) there(args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := exec.Command(program(h.t, "askctl"), args...)
	cmd.Dir = h.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "XDG_RUNTIME_DIR=" + h.runtime, "LC_ALL=C.UTF-8"}
	return cmd
}
