"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { branchEvents, completedElsewhere, hasResult, kinds } = require("../branch.js");

const tools = new Set(["ask_user", "wait_for_answers"]);
const custom = (customType, data) => ({ type: "custom", customType, data });
const message = (message) => ({ type: "message", message });
const call = (id, name = "ask_user", args = {}) =>
  message({ role: "assistant", content: [{ type: "text", text: "" }, { type: "toolCall", id, name, arguments: args }] });
const result = (toolCallId, details, isError = false) => message({ role: "toolResult", toolCallId, toolName: "ask_user", details, isError, content: [] });
const asked = (requestId, toolCallId, more = {}) => custom(kinds.request, { requestId, toolCallId, tool: "ask_user", background: false, ...more });
const events = (...entries) => branchEvents(entries, tools).map((event) => JSON.parse(JSON.stringify(event)));

test("a call without a result", () => {
  assert.deepEqual(events(call("t1", "ask_user", { questions: [] }), asked("r1", "t1")), [
    { type: "call", toolCallId: "t1", tool: "ask_user", arguments: { questions: [] } },
    { type: "asked", requestId: "r1", toolCallId: "t1", tool: "ask_user", background: false },
  ]);
  assert.deepEqual(events(call("t1", "bash")), []);
});

test("a call with its result is delivered", () => {
  assert.deepEqual(events(call("t1"), asked("r1", "t1"), result("t1", { outcomeId: "o1" })).slice(1), [
    { type: "delivered", requestId: "r1", outcomeId: "o1", how: "result" },
  ]);
});

test("an aborted call is closed without an outcome", () => {
  assert.deepEqual(events(call("t1"), asked("r1", "t1"), result("t1", {}, true)).at(-1), { type: "delivered", requestId: "r1", how: "aborted" });
});

test("a background receipt is no delivery, its message and a wait's result are", () => {
  const queued = [call("t1"), asked("r1", "t1", { background: true }), result("t1", { status: "queued" })];
  assert.ok(!events(...queued).some(({ type }) => type === "delivered"));
  const answer = { type: "custom_message", customType: kinds.answer, details: { requestId: "r1", outcomeId: "o1" } };
  assert.deepEqual(events(...queued, answer).at(-1), { type: "delivered", requestId: "r1", outcomeId: "o1", how: "message" });
  const wait = result("t2", { deliveries: [{ requestId: "r1", outcomeId: "o1" }] });
  assert.deepEqual(events(...queued, call("t2", "wait_for_answers"), wait).at(-1), { type: "delivered", requestId: "r1", outcomeId: "o1", how: "wait" });
});

test("a nested call is delivered by the outer call's result", () => {
  const inner = asked("r1", "t1/1", { parentToolCallId: "t1" });
  assert.deepEqual(events(inner).length, 1);
  assert.deepEqual(events(inner, result("t1", {})).at(-1), { type: "delivered", requestId: "r1", how: "parent" });
});

test("a user message directly after its marker is a delivery", () => {
  const marker = custom(kinds.resumeSent, { requestId: "r1", outcomeId: "o1" });
  const said = message({ role: "user", content: "x" });
  assert.deepEqual(events(marker, said), [{ type: "delivered", requestId: "r1", outcomeId: "o1", how: "user" }]);
  assert.deepEqual(events(marker, custom("other", {}), said), []);
});

test("panel, completed and dismissed entries", () => {
  assert.deepEqual(events(custom(kinds.panel, { visible: false }), custom(kinds.completed, { requestId: "r", outcomeId: "o", transcript: [] }), custom(kinds.dismissed, { toolCallId: "t" })), [
    { type: "panel", visible: false }, { type: "completed", requestId: "r", outcomeId: "o" }, { type: "dismissed", toolCallId: "t" },
  ]);
});

test("entries of others and malformed ones are passed over", () => {
  assert.deepEqual(events(custom(kinds.request, undefined), custom(kinds.request, { requestId: 3 }), custom("constructor", {}), custom(kinds.completed, {}),
    message({ role: "assistant", content: "text" }), message({ role: "bashExecution" }), { type: "compaction" },
    { type: "custom_message", customType: kinds.answer }), []);
});

test("what was completed off the branch", () => {
  const branch = [call("t1"), asked("r1", "t1"), result("t1", { outcomeId: "o1" })];
  const all = [...branch, call("t2"), asked("r2", "t2"), result("t2", { outcomeId: "o2" }), custom(kinds.completed, { requestId: "r3", outcomeId: "o3" })];
  assert.deepEqual(completedElsewhere(all, branchEvents(branch, tools), tools), [{ requestId: "r2", outcomeId: "o2" }, { requestId: "r3", outcomeId: "o3" }]);
});

test("the result of a call is found", () => {
  assert.ok(hasResult([call("t1"), result("t1", {}), call("t2")], "t1"));
  assert.ok(!hasResult([call("t1"), result("t1", {}), call("t2")], "t2"));
});
