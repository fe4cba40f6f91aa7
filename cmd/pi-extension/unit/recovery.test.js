"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { ancestry } = require("../ancestry.js");
const { branchEvents, deliveredOutcomes, kinds } = require("../branch.js");
const { mend, askAgain } = require("../recovery.js");
const { FakePi, fakeConnection, fakeSession } = require("./fakes.js");

const custom = (customType, data) => ({ type: "custom", customType, data });
const call = (id, args) => ({ type: "message", message: { role: "assistant", content: [{ type: "toolCall", id, name: "ask_user", arguments: args }] } });
const said = (content) => ({ type: "message", message: { role: "user", content } });

test("a marker without its message is made void, so that the next message is not taken for it", () => {
  const pi = new FakePi();
  pi.entries = [custom(kinds.request, { requestId: "r1", toolCallId: "t1" }), custom(kinds.resumeSent, { requestId: "r1", outcomeId: "o1" })];
  mend(pi, fakeSession(pi));
  pi.entries.push(said("something else"));
  assert.deepEqual(deliveredOutcomes(pi.entries), new Set());
  mend(pi, fakeSession(pi));
  assert.equal(pi.entries.length, 4);
});

test("a call whose answer is there is closed", () => {
  const pi = new FakePi();
  pi.entries = [
    custom(kinds.request, { requestId: "r1", toolCallId: "t1" }), custom(kinds.resumeSent, { requestId: "r1", outcomeId: "o1" }), said("yes"),
  ];
  mend(pi, fakeSession(pi));
  mend(pi, fakeSession(pi));
  assert.deepEqual(pi.entries.slice(3), [custom(kinds.dismissed, { toolCallId: "t1", requestId: "r1" })]);
});

test("unknown background forms are asked again as they were, prepared", () => {
  const pi = new FakePi();
  const form = { background: true, questions: [{ id: "q", prompt: "?", options: [{ value: "a-b" }] }] };
  pi.entries = [
    call("t1", form), custom(kinds.request, { requestId: "r1", toolCallId: "t1", tool: "ask_user", background: true }),
    custom(kinds.request, { requestId: "r2", toolCallId: "t2/1", parentToolCallId: "t2", tool: "ask_user", background: true, arguments: form }),
    call("t3", form), custom(kinds.request, { requestId: "r3", toolCallId: "t3", tool: "ask_user", background: false }),
    custom(kinds.request, { requestId: "r4", toolCallId: "t4", tool: "ask_user", background: true }),
  ];
  const connection = fakeConnection();
  askAgain(["r1", "r2", "r3", "r4"], fakeSession(pi), connection);
  assert.deepEqual(connection.ids("tool.call"), ["r1", "r2"]);
  for (const [, params] of connection.said) assert.equal(params.arguments.questions[0].options[0].label, "A b");
  assert.equal(form.questions[0].options[0].label, undefined);
});

test("a background call that was refused is over, and an outer result does not deliver what was queued", () => {
  const result = (toolCallId, details, isError = false) => ({ type: "message", message: { role: "toolResult", toolCallId, details, isError, content: [] } });
  const asked = (more) => custom(kinds.request, { requestId: "r1", toolCallId: "t1", tool: "ask_user", background: true, ...more });
  const how = (...entries) => branchEvents(entries, new Set()).filter(({ type }) => type === "delivered").map((event) => event.how);
  assert.deepEqual(how(asked(), result("t1", { status: "queued" })), []);
  assert.deepEqual(how(asked(), result("t1", { cancelled: true, error: {} })), ["result"]);
  assert.deepEqual(how(asked(), result("t1", {}, true)), ["aborted"]);
  assert.deepEqual(how(asked({ toolCallId: "t1/1", parentToolCallId: "t1" }), result("t1", {})), []);
});

test("ancestors are named by their ids, nearest first", (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "askd"));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  const file = (name) => path.join(dir, name);
  const write = (name, header) => fs.writeFileSync(file(name), `${JSON.stringify(header)}\n{"type":"message"}\n`);
  write("c.jsonl", { id: "c", parentSession: file("b.jsonl") });
  write("b.jsonl", { id: "b", parentSession: file("2026_a-1.jsonl") });
  assert.deepEqual(ancestry(file("c.jsonl")), { parentSession: "c", ancestors: ["b", "a-1"] });
  assert.deepEqual(ancestry(undefined), {});
  assert.deepEqual(ancestry(file("gone")), {});
  write("b.jsonl", { id: "b", parentSession: file("b.jsonl") });
  assert.deepEqual(ancestry(file("b.jsonl")), { parentSession: "b", ancestors: [] });
});
