"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { Acks } = require("../acks.js");
const { Cards } = require("../cards.js");
const { Deliveries } = require("../deliveries.js");
const { kinds } = require("../branch.js");
const { FakePi, fakeConnection, fakeSession } = require("./fakes.js");

function rig() {
  const pi = new FakePi();
  const session = fakeSession(pi);
  const connection = fakeConnection();
  const acks = new Acks(session, connection);
  const cards = new Cards();
  const deliveries = new Deliveries({ pi, session, acks, cards });
  /** The end of a run, and what follows it. */
  const settle = (aborted = false) => {
    pi.write();
    pi.idle = true;
    deliveries.settled(aborted);
    deliveries.pump();
  };
  return { pi, session, connection, acks, cards, deliveries, settle };
}

const delivery = (id, more = {}) => ({
  session: "s1", epoch: 1, requestId: `r${id}`, outcomeId: `o${id}`, as: "background", wake: true, toolCallId: `t${id}`,
  content: [{ type: "text", text: `answer ${id}` }], details: { requestId: `r${id}`, result: {} },
  transcript: [{ spans: [{ style: "text", text: `card ${id}` }] }], provenance: { storedAt: new Date().toISOString() }, ...more,
});
const cancelled = (id) => delivery(id, { wake: false });

test("idle: the leading cancels go in quietly, then one answer wakes the agent, the rest waits for a boundary", () => {
  const { pi, deliveries, acks, connection } = rig();
  pi.idle = false;
  for (const each of [cancelled(1), delivery(2), cancelled(3), delivery(4)]) deliveries.arrive(each);
  assert.deepEqual(pi.given(), []);
  pi.idle = true;
  deliveries.pump();
  assert.deepEqual(pi.given(), ["quiet r1", "wake r2"]);
  deliveries.begun();
  pi.write();
  acks.look();
  assert.deepEqual(connection.ids("delivery.ack"), ["r1", "r2"]);
  const { entries, continue: goesOn } = deliveries.boundary({ entries: ["theirs"], continue: false, outcome: "completed" });
  assert.equal(entries[0], "theirs");
  assert.deepEqual(entries.slice(1).map(({ customType }) => customType), [kinds.completed, kinds.answer, kinds.completed, kinds.answer]);
  assert.equal(entries[2].display, false);
  assert.deepEqual(entries[2].details, { requestId: "r3", result: {}, outcomeId: "o3" });
  assert.equal(goesOn, true);
  assert.equal(deliveries.boundary({ entries: [], continue: false }), undefined);
});

test("cancels alone do not make a run go on", () => {
  const { deliveries } = rig();
  deliveries.begun();
  deliveries.arrive(cancelled(1));
  assert.equal(deliveries.boundary({ entries: [], continue: false }).continue, false);
});

test("another's wish to go on stands", () => {
  const { deliveries } = rig();
  deliveries.begun();
  deliveries.arrive(cancelled(1));
  assert.equal(deliveries.boundary({ entries: [], continue: true }).continue, true);
});

test("a boundary of an aborted run, or of an agent that takes no entries, places nothing", () => {
  const { deliveries } = rig();
  deliveries.begun();
  deliveries.arrive(delivery(1));
  assert.equal(deliveries.boundary({ entries: [], outcome: "aborted" }), undefined);
  assert.equal(deliveries.boundary({}), undefined);
  assert.equal(deliveries.waiting.length, 1);
});

test("what was ready when the person stopped the agent goes in quietly, what comes later wakes it", () => {
  const { pi, deliveries, settle } = rig();
  deliveries.begun();
  pi.idle = false;
  deliveries.arrive(delivery(1));
  settle(true);
  assert.deepEqual(pi.given(), ["quiet r1"]);
  deliveries.arrive(delivery(2, { provenance: { storedAt: new Date(Date.now() + 1000).toISOString() } }));
  assert.deepEqual(pi.given(), ["quiet r1", "wake r2"]);
});

test("a delivery is placed once, however often it is sent", () => {
  const { pi, deliveries, acks, connection, settle } = rig();
  deliveries.arrive(delivery(1));
  deliveries.begun();
  deliveries.arrive(delivery(1));
  settle();
  deliveries.arrive(delivery(1));
  assert.deepEqual(pi.given(), ["wake r1"]);
  assert.deepEqual(connection.ids("delivery.ack"), ["r1", "r1"]);
  assert.equal(acks.placed.length, 0);
});

test("placed and not there at the end of the run is not placed", () => {
  const { pi, deliveries, connection } = rig();
  deliveries.arrive(delivery(1));
  deliveries.begun();
  pi.pending = []; // dropped without a word
  pi.idle = true;
  deliveries.settled(false);
  assert.deepEqual(connection.ids("delivery.ack"), []);
  deliveries.pump();
  assert.deepEqual(pi.given(), ["wake r1", "wake r1"]);
  assert.equal(pi.entries.filter(({ customType }) => customType === kinds.completed).length, 1);
});

test("a wait takes over only what has not been placed", () => {
  const { pi, deliveries } = rig();
  pi.idle = false;
  deliveries.arrive(delivery(1));
  deliveries.withdraw({ session: "s1", epoch: 0, requestId: "r1", outcomeId: "o1" });
  assert.equal(deliveries.waiting.length, 1);
  deliveries.withdraw({ session: "s1", epoch: 1, requestId: "r1", outcomeId: "o1" });
  pi.idle = true;
  deliveries.pump();
  assert.deepEqual(pi.given(), []);
});

test("a push for another epoch or session is dropped", () => {
  const { pi, deliveries } = rig();
  deliveries.arrive(delivery(1, { epoch: 2 }));
  deliveries.arrive(delivery(1, { session: "s2" }));
  assert.deepEqual(pi.given(), []);
});

test("a message that the person has just sent goes first", () => {
  const { pi, deliveries, settle } = rig();
  deliveries.expectRun();
  deliveries.arrive(delivery(1));
  assert.deepEqual(pi.given(), []);
  deliveries.begun();
  settle();
  assert.deepEqual(pi.given(), ["wake r1"]);
});

test("a recovered answer is a user message behind its marker, and closes its call once it is seen", () => {
  const { pi, deliveries, acks, connection } = rig();
  deliveries.arrive(delivery(1, { as: "followUp" }));
  assert.deepEqual(pi.calls, [["entry", kinds.completed], ["entry", kinds.resumeSent], ["user", "answer 1"]]);
  acks.look();
  assert.deepEqual(connection.ids("delivery.ack"), []);
  deliveries.begun();
  pi.write();
  acks.look();
  assert.deepEqual(pi.entries.at(-1), { type: "custom", customType: kinds.dismissed, data: { toolCallId: "t1", requestId: "r1" } });
  assert.deepEqual(connection.ids("delivery.ack"), ["r1"]);
});

test("a recovered answer never rides a boundary", () => {
  const { deliveries } = rig();
  deliveries.begun();
  deliveries.arrive(delivery(1, { as: "followUp" }));
  assert.equal(deliveries.boundary({ entries: [] }), undefined);
});

test("a recovered cancel is an entry alone", () => {
  const { pi, deliveries, connection } = rig();
  deliveries.arrive(delivery(1, { as: "dismissOnly", wake: false }));
  assert.deepEqual(pi.calls, [["entry", kinds.dismissed]]);
  assert.deepEqual(connection.ids("delivery.ack"), ["r1"]);
});

test("what the branch has already is acknowledged and not placed again", () => {
  const { pi, deliveries, connection } = rig();
  pi.entries.push({ type: "custom_message", customType: kinds.answer, details: { requestId: "r1", outcomeId: "o1" } });
  pi.entries.push({ type: "custom", customType: kinds.dismissed, data: { toolCallId: "t2", requestId: "r2" } });
  deliveries.arrive(delivery(1));
  deliveries.arrive(delivery(2, { as: "dismissOnly", wake: false }));
  assert.deepEqual([pi.calls, connection.ids("delivery.ack")], [[], ["r1", "r2"]]);
});

test("what an unwritten result carries is not placed beside it, and acknowledged once that is seen", () => {
  const { pi, deliveries, acks, connection } = rig();
  acks.add({ requestId: "r1", outcomeId: "o1", toolCallId: "t1", lost: () => {} });
  deliveries.arrive(delivery(1));
  deliveries.arrive(delivery(1));
  assert.deepEqual([pi.calls, deliveries.waiting, connection.ids("delivery.ack")], [[], [], []]);
  pi.entries.push({ type: "message", message: { role: "toolResult", toolCallId: "t1", details: { outcomeId: "o1" } } });
  acks.look();
  assert.deepEqual(connection.ids("delivery.ack"), ["r1"]);
});

test("images go as blocks", () => {
  const { pi, deliveries } = rig();
  const content = [{ type: "text", text: "see" }, { type: "image", data: "AA==", mimeType: "image/png" }];
  deliveries.arrive(delivery(1, { wake: false, content }));
  assert.deepEqual(pi.entries.at(-1).content, content);
});

test("what was seen while askd was away is acknowledged when it is back", () => {
  const { deliveries, acks, connection } = rig();
  connection.ready = false;
  deliveries.arrive(cancelled(1));
  acks.look();
  assert.deepEqual(connection.ids("delivery.ack"), []);
  connection.ready = true;
  acks.back();
  assert.deepEqual(connection.ids("delivery.ack"), ["r1"]);
});

test("a result that the run never showed goes back to askd", () => {
  const { pi, acks, connection } = rig();
  let lost = 0;
  acks.add({ requestId: "r1", outcomeId: "o1", toolCallId: "t1", call: { requestId: "r1", toolCallId: "t1", tool: "ask_user" }, lost: () => lost++ });
  assert.equal(acks.calls().length, 1);
  acks.look();
  assert.equal(lost, 0);
  pi.idle = false;
  acks.look(true);
  assert.equal(lost, 0, "a busy agent may still write it down");
  pi.idle = true;
  acks.look(true);
  assert.equal(lost, 1);
  assert.deepEqual([acks.calls(), connection.ids("delivery.ack")], [[], []]);
});

test("what was to be placed before session.open goes unless askd still has it to deliver", () => {
  const { pi, deliveries } = rig();
  pi.idle = false;
  deliveries.arrive(delivery(1));
  deliveries.arrive(delivery(2));
  deliveries.arrive(delivery(3));
  const before = [...deliveries.waiting];
  deliveries.arrive(delivery(3)); // again, after askd has answered
  deliveries.arrive(delivery(4));
  deliveries.keep(before, [{ outcomeId: "o2" }]);
  assert.deepEqual(deliveries.waiting.map(({ outcomeId }) => outcomeId), ["o2", "o3", "o4"]);
});
