"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { Modes, readMode, writeMode, waitTool } = require("../modes.js");
const { kinds } = require("../branch.js");
const { FakePi, fakeConnection, fakeSession } = require("./fakes.js");

function rig(t, { global, project } = {}) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "askd"));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  const before = process.env.PI_CODING_AGENT_DIR;
  process.env.PI_CODING_AGENT_DIR = path.join(dir, "agent");
  t.after(() => { process.env.PI_CODING_AGENT_DIR = before; });
  if (global !== undefined) writeMode(path.join(dir, "agent", "extensions", "pi-agent-ask.json"), global);
  if (project !== undefined) writeMode(path.join(dir, ".pi", "extensions", "pi-agent-ask.json"), project);
  const pi = Object.assign(new FakePi(), { active: ["bash"], getActiveTools() { return this.active; }, setActiveTools(names) { this.active = names; } });
  const session = fakeSession(pi);
  const connection = fakeConnection();
  const tools = new Map();
  const modes = new Modes({ pi, session, connection, register: (tool) => tools.set(tool.name, tool) });
  const questions = [];
  Object.assign(session.context, { cwd: dir, isProjectTrusted: () => true });
  const consent = (answer) => { session.context.ui.confirm = (title) => (questions.push(title), Promise.resolve(answer)); };
  const offered = () => [tools.get("ask_user").parameters.properties.background !== undefined, tools.get(waitTool)?.exposure ?? "none"];
  return { dir, pi, session, connection, modes, questions, consent, offered };
}

test("the mode of the settings file holds from the first tool on", (t) => {
  assert.deepEqual(rig(t, { global: true }).offered(), [false, "hidden"]);
  assert.deepEqual(rig(t, { global: false }).offered(), [true, "model-only"]);
  assert.deepEqual(rig(t).offered(), [true, "model-only"]);
});

test("a trusted project goes before the global setting", (t) => {
  const { modes, session, offered, pi, connection } = rig(t, { global: false, project: true });
  session.context.isProjectTrusted = () => false;
  modes.enter(session.context);
  assert.deepEqual(offered(), [true, "model-only"]);
  session.context.isProjectTrusted = () => true;
  modes.enter(session.context);
  assert.deepEqual(offered(), [false, "hidden"]);
  assert.deepEqual(pi.entries.at(-1), { type: "custom", customType: kinds.tools, data: { hidden: [waitTool] } });
  assert.deepEqual(connection.said.at(-1), ["session.mode", { backgroundOnly: true }]);
});

test("only what the mode had hidden comes back", (t) => {
  const { modes, session, pi } = rig(t);
  modes.enter(session.context);
  assert.deepEqual(pi.active, ["bash"], "the person has switched it off");
  pi.appendEntry(kinds.tools, { hidden: [waitTool] });
  modes.enter(session.context);
  assert.deepEqual(pi.active, ["bash", waitTool]);
  modes.enter(session.context);
  assert.deepEqual(pi.active, ["bash", waitTool]);
});

test("before the first request news of the settings apply at once, after it with consent", async (t) => {
  const { modes, questions, consent, offered } = rig(t);
  consent(false);
  await modes.settle({ behaviour: { backgroundOnly: true } });
  assert.deepEqual(offered(), [false, "hidden"]);
  modes.request();
  await modes.settle({ behaviour: { backgroundOnly: false } });
  assert.deepEqual([questions.length, ...offered()], [1, false, "hidden"]);
  await modes.settle({ behaviour: { backgroundOnly: false } });
  assert.equal(questions.length, 1, "a refusal is not asked about again");
  await modes.settle({ behaviour: { backgroundOnly: true } });
  consent(true);
  await modes.settle({ behaviour: { backgroundOnly: false } });
  assert.deepEqual([questions.length, ...offered()], [2, true, "model-only"]);
});

test("a refused or failed change saves and applies nothing", async (t) => {
  const { modes, consent, offered } = rig(t);
  modes.request();
  consent(false);
  let saved = 0;
  assert.equal(await modes.change({ global: true }, async () => { saved++; }), false);
  assert.equal(saved, 0);
  consent(true);
  await assert.rejects(modes.change({ global: true }, () => Promise.reject(new Error("full"))), /full/);
  assert.deepEqual(offered(), [true, "model-only"]);
  assert.equal(await modes.change({ global: true }, async () => { saved++; }), true);
  assert.deepEqual([saved, ...offered()], [1, false, "hidden"]);
});

test("a change that leaves the tools as they are asks nothing", async (t) => {
  const { modes, session, questions, consent } = rig(t, { project: false });
  modes.enter(session.context);
  modes.request();
  consent(false);
  assert.equal(await modes.change({ global: true }, async () => {}), true);
  assert.equal(questions.length, 0);
  assert.match(modes.describe(), /^Question mode: normal, by this project's setting\.$/);
});

test("the rest of a settings file stays, and a broken one is not overwritten", (t) => {
  const { dir } = rig(t);
  const file = path.join(dir, "x", "settings.json");
  writeMode(file, undefined);
  assert.equal(fs.existsSync(file), false);
  writeMode(file, true);
  fs.writeFileSync(file, '{"other": [1], "behaviour": {"backgroundOnly": true, "kept": 1}}');
  assert.equal(readMode(file), true);
  writeMode(file, undefined);
  assert.deepEqual(JSON.parse(fs.readFileSync(file, "utf8")), { schemaVersion: 5, other: [1], behaviour: { kept: 1 } });
  assert.equal(readMode(file), undefined);
  for (const broken of ["{", "[]", '{"behaviour":{"backgroundOnly":"yes"}}']) {
    fs.writeFileSync(file, broken);
    assert.equal(readMode(file), undefined);
  }
  fs.writeFileSync(file, "[]");
  assert.throws(() => writeMode(file, true), /is not a JSON object/);
  assert.equal(fs.readFileSync(file, "utf8"), "[]");
});
