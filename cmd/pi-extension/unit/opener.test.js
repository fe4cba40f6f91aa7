"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { Opener } = require("../opener.js");

/** A home with a setting and a PATH with an askctl of the test's own, or none. */
function rig(t, { autoOpen = true, script, ui = "tui", pane = "%1", reaches = true, quiet = false }) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "askd"));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  fs.mkdirSync(path.join(dir, "extensions"));
  fs.writeFileSync(path.join(dir, "extensions", "pi-agent-ask.json"), JSON.stringify({ schemaVersion: 5, pane: { autoOpen } }));
  const said = path.join(dir, "said");
  if (script) fs.writeFileSync(path.join(dir, "askctl"), `#!/bin/sh\necho "$@" >> ${said}\n${script}\n`, { mode: 0o700 });
  const env = { PATH: process.env.PATH, PI_CODING_AGENT_DIR: process.env.PI_CODING_AGENT_DIR, TMUX_PANE: process.env.TMUX_PANE };
  t.after(() => Object.assign(process.env, env));
  Object.assign(process.env, { PATH: script ? `${dir}:${env.PATH}` : dir, PI_CODING_AGENT_DIR: dir });
  for (const name of ["ZELLIJ_PANE_ID", "WEZTERM_PANE", "KITTY_WINDOW_ID"]) delete process.env[name];
  if (pane) process.env.TMUX_PANE = pane;
  else delete process.env.TMUX_PANE;
  const notices = [];
  const session = { ui, context: { ui: { notify: (text) => notices.push(text) } } };
  const opener = new Opener(session, { path: "/run/askd.sock", reach: async () => reaches }, () => quiet);
  return { opener, notices, said: () => (fs.existsSync(said) ? fs.readFileSync(said, "utf8") : "") };
}

test("a question opens the pane once, however many there are, and again after askd was there", async (t) => {
  const { opener, notices, said } = rig(t, { script: "exit 0" });
  assert.deepEqual(await Promise.all([opener.open(), opener.open()]), [true, true]);
  assert.equal(said(), "open --socket /run/askd.sock\n");
  assert.equal(await opener.open(), false, "tried again");
  opener.back();
  await opener.open();
  assert.equal(said().split("\n").length, 3);
  assert.deepEqual(notices, []);
});

test("nothing is opened without the setting, a multiplexer or a terminal, and while the person is not to be disturbed", async (t) => {
  for (const parts of [{ autoOpen: false }, { quiet: true }, { pane: undefined }, { ui: "rpc" }, { ui: "print" }]) {
    const { opener, said } = rig(t, { script: "exit 0", ...parts, ...("pane" in parts ? { pane: "" } : {}) });
    assert.equal(await opener.open(), false);
    assert.equal(said(), "");
  }
});

test("the person is told why it failed", async (t) => {
  const failed = rig(t, { script: "echo 'askctl: no \x1b[2J room' >&2; exit 1" });
  assert.equal(await failed.opener.open(), false);
  assert.deepEqual(failed.notices, ["askd's pane could not be opened: no \ufffd[2J room"]);
  const missing = rig(t, {});
  assert.equal(await missing.opener.open(), false);
  assert.deepEqual(missing.notices, ["askd's pane could not be opened: there is no `askctl` in the PATH of Pi"]);
});
