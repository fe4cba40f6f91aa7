"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { branchEvents, completedElsewhere, deliveredOutcomes } = require("../branch.js");
const { legacyParts } = require("../legacy.js");

const tools = new Set(["ask_user"]);
const custom = (customType, data) => ({ type: "custom", id: "e1", timestamp: "2025-05-06T07:08:09.010Z", customType, data });
const message = (message) => ({ type: "message", message });
const call = (id, name = "ask_user") => message({ role: "assistant", content: [{ type: "toolCall", id, name, arguments: {} }] });
const result = (toolCallId, details, more = {}) => message({ role: "toolResult", toolCallId, toolName: "ask_user", details, content: [], ...more });
const payload = (toolCallId) => custom("ask:payload", { version: 1, timestamp: 1, params: {}, source: "tool", sourceEntryId: toolCallId });
const request = (requestId, toolCallId, background = false) => custom("ask:history-request", { version: 1, requestId, toolCallId, background, createdAt: "", questions: [] });
const queued = (requestId, toolCallId) => custom("ask:queued", { version: 1, requestId, toolCallId, params: {}, presentSingleAsMulti: false });
const ended = (requestId, more = { result: {} }) => custom("ask:history-completed", { version: 1, requestId, ...more });
const unqueued = (requestId, more = { result: {} }) => custom("ask:queue-completed", { requestId, ...more });
const events = (...entries) => branchEvents(entries, tools).map((event) => JSON.parse(JSON.stringify(event)));
const foreground = [call("t1"), payload("t1"), request("r1", "t1")];
const background = [call("t1"), payload("t1"), request("r1", "t1", true), queued("r1", "t1"), result("t1", { status: "queued", requestId: "r1" })];
const asked = (isBackground) => ({ type: "asked", requestId: "r1", toolCallId: "t1", tool: "ask_user", background: isBackground });
const completed = { type: "completed", requestId: "r1", outcomeId: "legacy-r1" };
const delivered = (how) => ({ type: "delivered", requestId: "r1", outcomeId: "legacy-r1", how });

test("an open foreground call of an earlier release", () => {
  assert.deepEqual(events(...foreground), [{ type: "call", toolCallId: "t1", tool: "ask_user", arguments: {} }, asked(false)]);
});

test("an answered foreground call is delivered by its result, an aborted one by its error", () => {
  assert.deepEqual(events(...foreground, ended("r1"), result("t1", {})), [asked(false), completed, delivered("result")]);
  assert.deepEqual(events(...foreground, result("t1", {}, { isError: true })).at(-1), { type: "delivered", requestId: "r1", how: "aborted" });
});

test("a background form waits, is completed, and is delivered by its message", () => {
  assert.deepEqual(events(...background), [asked(true)]);
  const over = [...background, ended("r1"), unqueued("r1")];
  assert.deepEqual(events(...over), [asked(true), completed, completed]);
  const answer = { type: "custom_message", customType: "ask:background-answer", details: { requestId: "r1", result: {} } };
  assert.deepEqual(events(...over, answer).at(-1), delivered("message"));
  assert.deepEqual([...deliveredOutcomes([...over, answer])], ["legacy-r1"]);
  assert.deepEqual([...deliveredOutcomes(over)], []);
});

test("a wait's result delivers what it lists, unless it failed", () => {
  const wait = (more) => result("t2", { status: "complete", requestIds: ["r1"], results: [{ requestId: "r1", result: {} }, { requestId: "r9" }] }, { toolName: "wait_for_answers", ...more });
  assert.deepEqual(events(...background, unqueued("r1"), wait({})).at(-1), delivered("wait"));
  assert.deepEqual(events(...background, unqueued("r1"), wait({ isError: true })).at(-1), completed);
});

test("a queue entry alone is a background form, dismissed is dismissed", () => {
  assert.deepEqual(events(call("t1"), queued("r1", "t1")).at(-1), asked(true));
  assert.deepEqual(events(custom("ask:pending-dismissed", { toolCallId: "t1" })), [{ type: "dismissed", toolCallId: "t1" }]);
});

test("a call inside another one is over with that", () => {
  assert.deepEqual(events(call("t0", "codemode"), request("r1", "t1"), ended("r1")), [asked(false), delivered("parent"), completed]);
});

test("entries that those releases did not write say nothing", () => {
  assert.deepEqual(events(custom("ask:history-request", { version: 2, requestId: "r1" }), custom("ask:queued", { version: 1, requestId: 7 }), ended("r1"), unqueued("r1")), []);
  assert.deepEqual(events(...background, custom("ask:history-completed", { requestId: "r1", result: {} }), unqueued("r1", {})), [asked(true)]);
});

test("what another branch completed", () => {
  const all = [...background, unqueued("r1")];
  assert.deepEqual(completedElsewhere(all, branchEvents(background, tools), tools), [{ requestId: "r1", outcomeId: "legacy-r1" }]);
});

test("the entries go to askd as they stand, in parts where they are many", () => {
  assert.deepEqual(legacyParts([call("t1"), custom("ask:request", {}), custom("ask:queued", undefined)]), []);
  const all = [...foreground, ended("r1"), payload("t2"), request("r2", "t2", true), queued("r2", "t2"), payload("t3")];
  const [part, ...more] = legacyParts(all);
  assert.deepEqual(more, []);
  assert.deepEqual(part.map(({ type }) => type), ["ask:payload", "ask:history-request", "ask:history-completed", "ask:payload", "ask:history-request", "ask:queued", "ask:payload"]);
  assert.deepEqual([part[0].entryId, part[0].timestamp, part[0].data.sourceEntryId], ["e1", "2025-05-06T07:08:09.010Z", "t1"]);
  assert.deepEqual(legacyParts(all, 1).map((part) => part.map(({ type, data }) => `${type} ${data.requestId ?? data.sourceEntryId}`)), [
    ["ask:payload t2", "ask:history-request r2", "ask:queued r2"],
    ["ask:payload t3"],
    ["ask:payload t1", "ask:history-request r1", "ask:history-completed r1"],
  ]);
  const image = { data: "x".repeat(8 << 20) };
  assert.deepEqual(legacyParts([request("r1", "t1"), ended("r1", { result: image }), payload("t3")]).flat().length, 1);
});
