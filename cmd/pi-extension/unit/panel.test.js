"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { Panel, clockText } = require("../panel.js");

const state = { pending: 0, pendingRequestIds: [], panelVisible: false, waiting: 0, foreground: 0 };

function rig() {
  const lines = [];
  const session = { ui: "rpc", context: { ui: { setStatus: (key, text) => lines.push([key, text]) } } };
  return { panel: new Panel({}, session, () => {}), lines };
}

test("the status line says until when the person is not to be disturbed, once, and no longer than askd says it", () => {
  const { panel, lines } = rig();
  const until = new Date(Date.now() + 60_000);
  const says = `askd: do not disturb until ${clockText(until, new Date())}`;
  panel.take({ ...state, quietUntil: until.toISOString() });
  panel.take({ ...state, quietUntil: until.toISOString(), foreground: 1 });
  assert.deepEqual(lines, [["askd:quiet", says]]);
  assert.equal(panel.quietNow(), true);
  panel.gone();
  assert.deepEqual(lines[1], ["askd:quiet", undefined]);
  assert.equal(panel.quietNow(), true, "it is on although askd has gone");
  panel.take(state);
  assert.equal(panel.quietNow(), false);
  panel.take({ ...state, quietUntil: new Date(Date.now() - 1).toISOString() });
  assert.equal(panel.quietNow(), false, "it has ended by the clock");
});

test("a moment ahead is said as briefly as it is clear", () => {
  const now = new Date(2026, 4, 1, 14, 30);
  assert.equal(clockText(new Date(2026, 4, 1, 15, 5), now), "15:05");
  assert.equal(clockText(new Date(2026, 4, 2, 9, 0), now), "Sat 09:00");
  assert.equal(clockText(new Date(2026, 4, 20, 9, 0), now), "20 May 09:00");
});
