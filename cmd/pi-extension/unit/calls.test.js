"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { Acks } = require("../acks.js");
const { Calls } = require("../calls.js");
const { Cards } = require("../cards.js");
const { kinds } = require("../branch.js");
const { FakePi, fakeConnection, fakeSession } = require("./fakes.js");

/** A connection whose answers the test gives, by method and turn. */
function rig() {
  const pi = new FakePi();
  const session = fakeSession(pi);
  const connection = Object.assign(fakeConnection(), { hold() {}, reach: () => new Promise(() => {}) });
  const open = [];
  connection.request = (method, params) => {
    connection.said.push([method, params]);
    return new Promise((resolve, reject) => open.push({ method, resolve, reject }));
  };
  const reply = async (method, value) => {
    const at = open.findIndex((each) => each.method === method);
    open.splice(at, 1)[0].resolve(value);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const acks = new Acks(session, connection);
  const notice = { lost() {}, idle() {}, away() {} };
  const calls = new Calls({ pi, session, connection, acks, notice, cards: new Cards(), modes: { backgroundOnly: false }, changed() {} });
  const methods = () => connection.said.map(([method]) => method);
  const run = (tool, args = {}) => {
    const operation = new AbortController();
    const end = calls.execute(tool, `t${connection.said.length}`, args, operation.signal, undefined, session.context);
    end.catch(() => {});
    return { end, abort: () => operation.abort() };
  };
  return { pi, session, connection, acks, calls, reply, methods, run };
}

const receipt = { content: [{ type: "text", text: "Queued" }], details: { status: "queued" }, transcript: [] };

test("the receipt of an aborted background call counts only when askd says that the form has ended by itself", async () => {
  for (const [state, stands] of [["interrupted", false], ["unknown", false], ["ended", true]]) {
    for (const order of [["tool.call", "tool.abort"], ["tool.abort", "tool.call"]]) {
      const { run, reply } = rig();
      const { end, abort } = run("ask_user", { background: true });
      abort();
      for (const method of order) await reply(method, method === "tool.call" ? receipt : { state });
      if (stands) assert.equal((await end).content[0].text, "Queued");
      else await assert.rejects(end, /Question form interrupted/);
    }
  }
});

test("what an aborted wait was given is left to the messages", async () => {
  const { run, reply, pi, methods } = rig();
  const { end, abort } = run("wait_for_answers");
  abort();
  await assert.rejects(end, /Question wait interrupted/);
  await reply("tool.call", { content: [], details: {}, deliveries: [{ requestId: "r1", outcomeId: "o1" }] });
  assert.deepEqual([pi.entries, methods()], [[], ["tool.call", "tool.abort"]]);
});

test("an aborted foreground call ends with what was decided before", async () => {
  const { run, reply } = rig();
  const { end, abort } = run("ask_user");
  abort();
  await reply("tool.call", { content: [{ type: "text", text: "Postgres" }], details: {}, outcomeId: "o1" });
  assert.equal((await end).content[0].text, "Postgres");
});

test("a call that ended while the session was being opened is aborted afterwards, for its own reason", async () => {
  const { run, calls, connection, methods } = rig();
  connection.ready = false;
  const { end, abort } = run("ask_user");
  assert.equal(calls.unfinished().length, 1, "askd has to take it for running");
  calls.abortReason = "switch";
  abort();
  await assert.rejects(end, /Question form interrupted/);
  assert.deepEqual(methods(), []);
  connection.ready = true;
  calls.resume();
  assert.deepEqual(connection.said.map(([method, { reason }]) => [method, reason]), [["tool.abort", "switch"]]);
});

test("what the session shows is acknowledged before a wait is asked for", () => {
  const { run, acks, pi, methods } = rig();
  acks.add({ requestId: "r1", outcomeId: "o1", lost: () => {} });
  pi.entries.push({ type: "custom_message", customType: kinds.answer, details: { requestId: "r1", outcomeId: "o1" } });
  run("wait_for_answers");
  assert.deepEqual(methods(), ["delivery.ack", "tool.call"]);
});

test("ask_user_question stays in the foreground, whatever the mode, and says so once it waits", async () => {
  const { calls, pi, connection, reply } = rig();
  calls.modes.backgroundOnly = true;
  const updates = [];
  const end = calls.execute("ask_user_question", "t1", { background: true, questions: [] }, undefined, (partial) => updates.push(partial), {});
  assert.equal(pi.entries[0].data.background, false);
  assert.equal(calls.blocks(), false);
  const [, { requestId }] = connection.said[0];
  calls.accepted({ requestId, position: 3 });
  assert.deepEqual(updates, [{ content: [{ type: "text", text: "Waiting for user input..." }], details: { answers: [], cancelled: false } }]);
  assert.equal(calls.blocks(), true);
  await reply("tool.call", { requestId, outcomeId: "o1", content: [{ type: "text", text: "User answered 0 questions:" }], details: { answers: [], cancelled: false }, transcript: [] });
  const { content, details } = await end;
  assert.deepEqual([content[0].text, details.answers, details.cancelled, details.outcomeId], ["User answered 0 questions:", [], false, "o1"]);
  assert.equal(calls.blocks(), false);
});

test("an aborted ask_user_question is a cancelled one, also without askd", async () => {
  for (const ready of [true, false]) {
    const { run, connection, reply } = rig();
    connection.ready = ready;
    const { end, abort } = run("ask_user_question");
    abort();
    if (ready) await reply("tool.call", { content: [{ type: "text", text: "User cancelled the questions" }], details: { answers: [], cancelled: true }, transcript: [] });
    const { content, details } = await end;
    assert.deepEqual([content[0].text, details.answers, details.cancelled], ["User cancelled the questions", [], true]);
  }
});

test("where nobody can be asked ask_user_question fails with its questions", async () => {
  const { session, connection, run } = rig();
  Object.assign(connection, { ready: false, reachWithin: () => Promise.resolve(false) });
  session.ui = "print";
  const options = [{ label: "A", description: "" }, { label: "B", description: "" }];
  await assert.rejects(run("ask_user_question", { questions: [{ question: "q", header: "h", options }] }).end,
    { message: "ask_user_question requires interactive mode. Please answer these questions:\n\n1. q\n   Options:\n   1. A\n   2. B\n   You can also answer freely." });
  await assert.rejects(run("ask_user_question", { questions: [] }).end, /questions needs 1-4 entries/);
});

test("outside a terminal an agent is blocked by ask_user_question alone", () => {
  const { calls, session, run, connection } = rig();
  session.ui = "rpc";
  run("ask_user");
  calls.accepted({ requestId: connection.said[0][1].requestId, position: 1 });
  assert.equal(calls.blocks(), false);
  run("ask_user_question");
  calls.accepted({ requestId: connection.said[1][1].requestId, position: 1 });
  assert.equal(calls.blocks(), true);
});

test("a call that is asked without askd is not askd's when it comes, nor is its end", async () => {
  const { calls, session, connection, run } = rig();
  Object.assign(connection, { ready: false, reachWithin: () => Promise.resolve(false) });
  session.ui = "rpc";
  const asked = new Promise((resolve) => {
    calls.askAlone = (call) => {
      call.alone = call.accepted = true;
      resolve(call);
    };
  });
  const { end, abort } = run("ask_user_question");
  await asked;
  connection.ready = true;
  calls.resume();
  assert.deepEqual([connection.said, calls.unfinished(), calls.blocks()], [[], [], true]);
  abort();
  assert.equal((await end).details.cancelled, true);
  calls.resume();
  assert.deepEqual([connection.said, calls.blocks()], [[], false]);
});
