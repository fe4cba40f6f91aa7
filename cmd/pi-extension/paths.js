"use strict";
// Where things are: askd's socket, pi's agent folder, the git branch, the terminal pane.

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/**
 * The socket that askd listens on: ASKD_SOCKET, else XDG_RUNTIME_DIR, else a folder of the user's in /tmp.
 * @param {NodeJS.ProcessEnv} [env]
 */
function socketPath(env = process.env) {
  if (env.ASKD_SOCKET) return env.ASKD_SOCKET;
  if (env.XDG_RUNTIME_DIR) return path.join(env.XDG_RUNTIME_DIR, "askd", "askd.sock");
  return `/tmp/askd-${os.userInfo().uid}/askd.sock`;
}

/**
 * pi's agent folder.
 * @param {NodeJS.ProcessEnv} [env]
 */
function agentDir(env = process.env) {
  const dir = env.PI_CODING_AGENT_DIR;
  if (!dir) return path.join(os.homedir(), ".pi", "agent");
  return dir === "~" || dir.startsWith("~/") ? path.join(os.homedir(), dir.slice(1)) : dir;
}

/**
 * pi's version: that of the package which holds the running script. Undefined when it is not to be found.
 * @param {string | undefined} [script]
 * @returns {string | undefined}
 */
function piVersion(script = process.argv[1]) {
  try {
    let dir = path.dirname(fs.realpathSync(script ?? ""));
    for (let up = 0; up < 5; up++, dir = path.dirname(dir)) {
      const file = path.join(dir, "package.json");
      if (!fs.existsSync(file)) continue;
      const { name, version } = JSON.parse(fs.readFileSync(file, "utf8"));
      if (/pi-coding-agent$/.test(name ?? "")) return version;
    }
  } catch {
    // An agent without a version is fine.
  }
  return undefined;
}

/**
 * The branch checked out in the work tree around a folder; undefined outside one and for a detached head.
 * @param {string} cwd
 * @returns {string | undefined}
 */
function gitBranch(cwd) {
  try {
    for (let dir = cwd; ; dir = path.dirname(dir)) {
      const git = path.join(dir, ".git");
      if (fs.existsSync(git)) return headBranch(gitDir(git));
      if (dir === path.dirname(dir)) return undefined;
    }
  } catch {
    return undefined;
  }
}

/** @param {string} git a .git folder, or the file that stands for it in a linked work tree */
function gitDir(git) {
  if (fs.statSync(git).isDirectory()) return git;
  const target = fs.readFileSync(git, "utf8").replace(/^gitdir:\s*/, "").trim();
  return path.resolve(path.dirname(git), target);
}

/** @param {string} dir */
function headBranch(dir) {
  return /^ref: refs\/heads\/(.+)$/m.exec(fs.readFileSync(path.join(dir, "HEAD"), "utf8"))?.[1];
}

/** Multiplexers and the variable in which each names the pane a program runs in. */
const panes = [
  ["tmux", "TMUX_PANE"],
  ["zellij", "ZELLIJ_PANE_ID"],
  ["wezterm", "WEZTERM_PANE"],
  ["kitty", "KITTY_WINDOW_ID"],
];

/**
 * The multiplexer pane that pi runs in.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{kind: string, id: string} | undefined}
 */
function terminalPane(env = process.env) {
  for (const [kind, variable] of panes) {
    const id = env[variable];
    if (id) return { kind, id };
  }
  return undefined;
}

module.exports = { socketPath, agentDir, piVersion, gitBranch, terminalPane };
