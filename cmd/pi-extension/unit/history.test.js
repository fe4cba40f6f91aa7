"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { kinds } = require("../branch.js");
const { LostError, RemoteError } = require("../connection.js");
const { HistoryTools, historyNames } = require("../history.js");
const { Modes } = require("../modes.js");
const { FakePi, fakeConnection, fakeSession } = require("./fakes.js");

const names = [...historyNames];

function rig(t, on) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "askd"));
  const before = process.env.PI_CODING_AGENT_DIR;
  process.env.PI_CODING_AGENT_DIR = dir;
  t.after(() => {
    process.env.PI_CODING_AGENT_DIR = before;
    fs.rmSync(dir, { recursive: true });
  });
  fs.mkdirSync(path.join(dir, "extensions"));
  fs.writeFileSync(path.join(dir, "extensions", "pi-agent-ask.json"), JSON.stringify({ behaviour: { historyTools: on } }));
  const tools = new Map();
  const pi = Object.assign(new FakePi(), {
    active: ["bash"], getActiveTools() { return this.active; }, setActiveTools(active) { this.active = active; },
    registerTool: (tool) => tools.set(tool.name, tool),
  });
  const session = fakeSession(pi);
  const connection = Object.assign(fakeConnection(), { reach: () => Promise.resolve(connection.ready), hold(held) { this.held = held; } });
  const calls = { settled: () => connection.hold(false) };
  const modes = new Modes({ pi, session, connection, register: () => {} });
  const history = new HistoryTools({ pi, session, connection, calls, modes });
  const questions = [];
  const consent = (answer) => { session.context.ui.confirm = (title) => (questions.push(title), Promise.resolve(answer)); };
  const news = async (historyTools) => {
    history.take({ behaviour: { historyTools } });
    await history.settle();
  };
  return { pi, session, connection, modes, history, questions, consent, news, tools };
}

test("without the setting there are no such tools", (t) => {
  const { pi, history, tools } = rig(t, false);
  history.enter();
  assert.equal(tools.size, 0);
  assert.deepEqual(pi.entries, []);
});

test("with it they are there from the first tool on and draw nothing", (t) => {
  const { pi, history, tools } = rig(t, true);
  assert.deepEqual([...tools.keys()], names);
  for (const tool of tools.values()) {
    assert.deepEqual([tool.renderShell, tool.renderCall().render(80), tool.renderResult().render(80), tool.exposure], ["self", [], [], undefined]);
  }
  history.enter();
  assert.deepEqual(pi.active, ["bash", ...names]);
  assert.deepEqual(pi.entries, [{ type: "custom", customType: kinds.historyTools, data: { offered: true } }]);
  pi.active = ["bash"];
  history.enter();
  assert.deepEqual(pi.active, ["bash"], "the person has switched them off");
});

test("before the first request they come and go at once, after it with consent", async (t) => {
  const { pi, modes, questions, consent, news, tools } = rig(t, false);
  consent(false);
  await news(true);
  assert.deepEqual([questions.length, pi.active.length], [0, 4]);
  modes.request();
  await news(false);
  assert.deepEqual([questions.length, tools.get(names[0]).exposure], [1, undefined]);
  await news(false);
  assert.equal(questions.length, 1, "a refusal is not asked about again");
  await news(true);
  consent(true);
  await news(false);
  assert.deepEqual([questions.length, tools.get(names[0]).exposure, pi.entries.at(-1).data], [2, "hidden", { offered: false }]);
});

test("a call is passed on as it came, and a failure is thrown", async (t) => {
  const { connection, history } = rig(t, true);
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const whole = { content: [{ type: "text", text: "{}" }, image], details: { record: 1 }, structuredContent: { record: 1 }, transcript: [] };
  connection.request = (method, params) => {
    connection.said.push([method, params]);
    return Promise.resolve(params.arguments.path ? { isError: true, content: [{ type: "text", text: "An export path is required." }] } : whole);
  };
  const { transcript, ...result } = whole;
  assert.deepEqual(await history.execute("read_ask_history", "t1", { requestId: "r" }), result);
  assert.deepEqual(connection.said, [["tool.call", { tool: "read_ask_history", toolCallId: "t1", arguments: { requestId: "r" } }]]);
  await assert.rejects(history.execute("export_ask_history", "t2", { path: " " }), /^Error: An export path is required\.$/);
  assert.equal(connection.held, false);
});

test("without askd, and at the end of the operation, a call fails at once", async (t) => {
  const { connection, history } = rig(t, true);
  connection.ready = false;
  await assert.rejects(history.execute("list_ask_history", "t1", {}), /Start askd/);
  connection.ready = true;
  connection.request = () => Promise.reject(new LostError("gone"));
  await assert.rejects(history.execute("list_ask_history", "t1", {}), /Start askd/);
  connection.request = () => Promise.reject(new RemoteError({ message: "limit: expected 1 to 200" }));
  await assert.rejects(history.execute("list_ask_history", "t1", {}), /limit: expected 1 to 200/);
  connection.request = () => new Promise(() => {});
  const operation = new AbortController();
  const running = history.execute("list_ask_history", "t1", {}, operation.signal);
  operation.abort();
  await assert.rejects(running, /Question history interrupted/);
  await assert.rejects(history.execute("list_ask_history", "t1", {}, operation.signal), /Question history interrupted/);
});
