"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { Bus } = require("../bus.js");

/** A bus over a plain event list, with an askd that answers as told. */
function rig({ ui = "tui", ready = true, request = async () => ({ ok: true }) } = {}) {
  const emitted = [];
  let submit;
  const pi = { events: { on: (_channel, handler) => { submit = handler; }, emit: (channel, event) => emitted.push([channel, event]) } };
  const bus = new Bus(pi, { ui, id: "s1", context: {} }, { ready, request });
  return { bus, emitted, submit: (event) => submit(event) };
}

const good = { version: 1, requestId: "b1", flowId: "tool:t1", response: { kind: "answer", answers: {} } };

test("only changes of being blocked are told", () => {
  const { bus, emitted } = rig();
  for (const active of [false, true, true, false, false]) bus.blocked(active);
  assert.deepEqual(emitted, [
    ["herdr:blocked", { active: true, label: "Waiting for user response" }],
    ["herdr:blocked", { active: false }],
  ]);
});

test("a response goes to askd with the flow and the session", async () => {
  const sent = [];
  const { submit, emitted } = rig({ request: async (...args) => { sent.push(args); return { ok: true }; } });
  await submit(good);
  assert.deepEqual(sent, [["form.respond", { flowId: "tool:t1", session: "s1", tool: "ask_user", response: good.response }]]);
  assert.deepEqual(emitted, [["pi-agent-ask:submit-result", { version: 1, requestId: "b1", flowId: "tool:t1", ok: true }]]);
});

test("faults of the envelope are named, in order", async () => {
  const cases = [
    [undefined, "Submit event must be an object.", "", ""],
    [[], "Submit event must be an object.", "", ""],
    [{ ...good, version: 2 }, "Submit event version must be 1.", "b1", "tool:t1"],
    [{ ...good, requestId: 3 }, "Submit event requestId is required.", "", "tool:t1"],
    [{ ...good, flowId: " " }, "Submit event flowId is required.", "b1", " "],
  ];
  for (const [event, message, requestId, flowId] of cases) {
    const { submit, emitted } = rig({ request: () => assert.fail("asked askd") });
    await submit(event);
    assert.deepEqual(emitted[0][1], { version: 1, requestId, flowId, ok: false, error: "invalid_request", message });
  }
});

test("without askd no flow is active", async () => {
  for (const parts of [{ ready: false }, { request: async () => { throw new Error("lost"); } }]) {
    const { submit, emitted } = rig(parts);
    await submit(good);
    assert.equal(emitted[0][1].error, "flow_not_found");
    assert.equal(emitted[0][1].message, "Ask flow is not active.");
  }
});
