# The far side of `askctl forward`: sent to a plain sh on the host. It looks where agents there expect askd's socket, makes
# room for the forwarded one, says whether it answers, and takes it away when the link ends. token and wish are set before.
PATH=$PATH:$HOME/.local/bin:$HOME/bin:$HOME/go/bin:/usr/local/bin
say() { printf 'askctl-forward %s\n' "$*"; }
uid=$(id -u)
if [ -n "$wish" ]; then sock=$wish
elif [ -n "$ASKD_SOCKET" ]; then sock=$ASKD_SOCKET
elif [ -n "$XDG_RUNTIME_DIR" ]; then sock=$XDG_RUNTIME_DIR/askd/askd.sock
else sock=/tmp/askd-$uid/askd.sock
fi
folder=${sock%/*}
mark=$sock.forward

# greet asks whoever listens what it is, with what a host happens to have; 0 askd answers, 1 nobody, 2 nothing to ask with.
greet() {
  if command -v askctl >/dev/null 2>&1; then
    askctl --socket "$sock" status >/dev/null 2>&1 </dev/null && return 0
    return 1
  fi
  line='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"askctl forward","version":"0"}}}'
  if command -v node >/dev/null 2>&1; then
    node -e 'const s=require("net").connect(process.argv[1]);let t="";s.on("error",()=>process.exit(1));s.on("close",()=>process.exit(1));s.on("data",(d)=>{t+=d;if(t.includes("\n"))process.exit(t.includes("\"name\":\"askd\"")?0:1)});setTimeout(()=>process.exit(1),10000);s.write(process.argv[2]+"\n")' "$sock" "$line" >/dev/null 2>&1 </dev/null && return 0
    return 1
  fi
  if command -v perl >/dev/null 2>&1; then
    perl -MSocket -e 'alarm 10;socket(S,PF_UNIX,SOCK_STREAM,0)&&connect(S,sockaddr_un($ARGV[0]))||exit 1;syswrite(S,"$ARGV[1]\n");sysread(S,$_,65536);exit(/"name":"askd"/?0:1)' "$sock" "$line" >/dev/null 2>&1 </dev/null && return 0
    return 1
  fi
  return 2
}

# listens reports whether a process listens on the socket; 2 when that cannot be told.
listens() {
  if [ -r /proc/net/unix ]; then
    while read -r _ _ _ flags _ _ _ path; do
      [ "$flags" = 00010000 ] && [ "$path" = "$sock" ] && return 0
    done </proc/net/unix
    return 1
  fi
  command -v perl >/dev/null 2>&1 || return 2
  perl -MSocket -e 'alarm 10;socket(S,PF_UNIX,SOCK_STREAM,0);exit(connect(S,sockaddr_un($ARGV[0]))?0:1)' "$sock" 2>/dev/null </dev/null
}

# ours reports whether the link that the mark names is one of the same askctl: an earlier try of its own.
ours() {
  [ -f "$mark" ] && [ ! -L "$mark" ] && [ -O "$mark" ] || return 1
  old=
  read -r old from <"$mark"
  [ "${old%.*}" = "${token%.*}" ]
}

# held reports whether an askd of this host, perhaps a stopped one, has the path: its lock names a living process.
held() {
  [ -f "$sock.lock" ] || return 1
  pid=
  read -r pid _ <"$sock.lock"
  case $pid in '' | *[!0-9]*) return 1 ;; esac
  kill -0 "$pid" 2>/dev/null
}

# vacant makes room at the path, or says why there is none.
vacant() {
  [ -e "$sock" ] || [ -L "$sock" ] || return 0
  [ -S "$sock" ] && [ ! -L "$sock" ] || { say refused nosocket "$sock"; return 1; }
  [ -O "$sock" ] || { say refused foreign "$sock"; return 1; }
  if ! ours; then
    listens
    case $? in
      2) say refused unknown "$sock"; return 1 ;;
      0) if [ ! -f "$mark" ] || held; then say refused busy "$sock"; return 1
         elif greet; then say refused linked "$sock"; return 1
         elif [ $? = 2 ]; then say refused linked "$sock"; return 1
         fi ;;
    esac
  fi
  rm -f "$sock"
}

prepare() {
  case $sock in /*) ;; *) say refused relative "$sock"; return ;; esac
  if [ ! -d "$folder" ]; then (umask 077 && mkdir -p "$folder") 2>/dev/null || { say refused folder "$folder"; return; }; fi
  [ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ] || { say refused folder "$folder"; return; }
  case $(ls -ld "$folder") in drwx------*) ;; *) say refused open "$folder"; return ;; esac
  vacant || return
  (umask 077 && rm -f "$mark" && printf '%s %s\n' "$token" "$origin" >"$mark")
  say ready "$sock"
}

check() {
  [ -S "$sock" ] || { say checked missing; return; }
  chmod 600 "$sock" 2>/dev/null
  greet
  case $? in 0) state=answers ;; 1) state=silent ;; *) state=there ;; esac
  pi=no
  [ -f "${PI_CODING_AGENT_DIR:-$HOME/.pi/agent}/extensions/askd/package.json" ] && pi=yes
  tool=no
  command -v askctl >/dev/null 2>&1 && tool=yes
  say checked "$state" "$tool" "$pi"
}

clear_up() {
  old=
  [ -f "$mark" ] && read -r old from <"$mark"
  [ "$old" = "$token" ] && rm -f "$sock" "$mark"
}
trap 'clear_up; exit 0' HUP INT TERM

say begin
while read -r order; do
  case $order in prepare) prepare ;; check) check ;; esac
done
clear_up
exit 0
