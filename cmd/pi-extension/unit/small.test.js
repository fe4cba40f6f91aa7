"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { requestId, processIdentity } = require("../ids.js");
const paths = require("../paths.js");
const { needsUserInput } = require("../fallback.js");
const { LostError } = require("../connection.js");
const { describe } = require("../notice.js");
const { guard } = require("../guard.js");

test("request ids are UUIDs of version 7 that grow with time", () => {
  const ids = Array.from({ length: 100 }, (_, i) => requestId(1.7e12 + i));
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(Array.from({ length: 1000 }, () => requestId(1))).size, 1000);
});

test("the process keeps its identity over a reload", () => {
  const first = processIdentity();
  delete require.cache[require.resolve("../ids.js")];
  assert.equal(require("../ids.js").processIdentity(), first);
});

test("the socket is found as askd finds it", () => {
  assert.equal(paths.socketPath({ ASKD_SOCKET: "/s", XDG_RUNTIME_DIR: "/run" }), "/s");
  assert.equal(paths.socketPath({ XDG_RUNTIME_DIR: "/run/user/1" }), "/run/user/1/askd/askd.sock");
  assert.equal(paths.socketPath({}), `/tmp/askd-${os.userInfo().uid}/askd.sock`);
});

test("the agent folder", () => {
  assert.equal(paths.agentDir({ PI_CODING_AGENT_DIR: "/a" }), "/a");
  assert.equal(paths.agentDir({ PI_CODING_AGENT_DIR: "~/a" }), path.join(os.homedir(), "a"));
  assert.equal(paths.agentDir({}), path.join(os.homedir(), ".pi", "agent"));
});

test("the git branch, also of a linked work tree", (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "askd"));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  const write = (file, text) => {
    fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    fs.writeFileSync(path.join(dir, file), text);
  };
  write("repo/.git/HEAD", "ref: refs/heads/feature/x\n");
  write("repo/deep/file", "");
  write("repo/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
  write("linked/.git", "gitdir: ../repo/.git/worktrees/w\n");
  write("detached/.git/HEAD", "0123456789\n");
  assert.equal(paths.gitBranch(path.join(dir, "repo/deep")), "feature/x");
  assert.equal(paths.gitBranch(path.join(dir, "linked")), "w");
  assert.equal(paths.gitBranch(path.join(dir, "detached")), undefined);
  assert.equal(paths.gitBranch("/"), undefined);
});

test("the multiplexer's pane", () => {
  assert.deepEqual(paths.terminalPane({ TMUX_PANE: "%3", KITTY_WINDOW_ID: "1" }), { kind: "tmux", id: "%3" });
  assert.equal(paths.terminalPane({}), undefined);
});

test("the outcome without a terminal", () => {
  const options = [{ value: "pg ", label: " Postgres" }, { value: "lite", label: "SQLite" }];
  const { content, details, structuredContent } = needsUserInput("ask_user", "r1", {
    title: " T ", questions: [{ id: " db ", prompt: " Which? ", options }, { id: "x", label: "Extras", prompt: "More?", type: "multi", options: [] }],
  });
  assert.equal(content[0].text, `ask_user [r1]
Needs user input: ask_user requires interactive TUI mode.
Run same tool call in interactive TUI mode, or ask user these questions manually:
1. Q1: Which?
   - Postgres [pg]
   - SQLite [lite]
   - Type your own [custom]
2. Extras: More?
   - Type your own [custom]
details.questions contains normalized pending questions. details.answers stays empty until user responds.`);
  assert.deepEqual(structuredContent, { requestId: "r1", cancelled: true, answers: {} });
  assert.equal(details.title, "T");
  assert.equal(details.cancelled, true);
  assert.deepEqual(details.questions[0], { id: "db", label: "Q1", prompt: "Which?", type: "single" });
});

test("the notice says what to do", () => {
  assert.match(describe(undefined), /running `askd` in another pane/);
  assert.match(describe(new LostError("gone")), /running `askd` in another pane/);
  assert.match(describe(Object.assign(new Error("x"), { code: "ECONNREFUSED" })), /running `askd` in another pane/);
  assert.match(describe(Object.assign(new Error("permission denied"), { code: "EACCES" })), /cannot be used: permission denied/);
  assert.match(describe(Object.assign(new Error("speaks protocol 2"), { kind: "unsupported_version" })), /speaks protocol 2/);
  assert.match(describe(undefined, false), /Esc gives it up/);
  assert.match(describe(undefined, true), /in a few seconds; the agent is told/);
});

test("a guarded callback neither throws nor rejects", async () => {
  assert.equal(guard(() => { throw new Error("x"); })(), undefined);
  await guard(async () => { throw new Error("x"); })();
  assert.equal(guard((a) => a + 1)(1), 2);
});
