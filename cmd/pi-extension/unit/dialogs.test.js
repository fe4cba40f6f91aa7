"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { Dialogs } = require("../dialogs.js");
const { fakeConnection } = require("./fakes.js");

/** One open call in a pi whose dialogs the test answers; a dialog whose signal aborts is dismissed. */
function rig({ hasUI = true } = {}) {
  const connection = fakeConnection();
  const asked = [];
  const ask = (what) => (...args) => new Promise((resolve, reject) => {
    const { signal, ...limits } = args.at(-1);
    signal.addEventListener("abort", () => resolve(undefined));
    asked.push({ what: [what, ...args.slice(0, -1), limits], resolve, reject, signal });
  });
  const context = { hasUI, ui: { select: ask("select"), input: ask("input") } };
  let ended;
  const calls = { open: new Map([["r1", { requestId: "r1", context, aborted: false }]]), whenEnded(hear) { ended = hear; } };
  const dialogs = new Dialogs({ connection, calls });
  return { dialogs, calls, connection, asked, end: () => ended({ requestId: "r1" }) };
}

const select = { dialogId: "d1", requestId: "r1", method: "select", title: "Which?", options: ["a", "b"], timeoutMs: 500 };
const input = { dialogId: "d2", requestId: "r1", method: "input", title: "Why?", placeholder: "Type" };

test("a dialog is pi's own, with its limit, and what the person gives goes back", async () => {
  for (const [shown, what, given, value] of [
    [select, ["select", "Which?", ["a", "b"], { timeout: 500 }], "b", "b"],
    [input, ["input", "Why?", "Type", {}], "", ""],
    [input, ["input", "Why?", "Type", {}], undefined, null],
  ]) {
    const { dialogs, asked, connection } = rig();
    const done = dialogs.show(shown);
    assert.deepEqual(asked[0].what, what);
    asked[0].resolve(given);
    await done;
    assert.deepEqual(connection.said, [["dialog.reply", { dialogId: shown.dialogId, value }]]);
  }
});

test("a dialog that cannot be shown is dismissed", async () => {
  for (const [parts, shown] of [[{ hasUI: false }, select], [{}, { ...select, requestId: "r2" }], [{}, { ...select, method: "custom" }]]) {
    const { dialogs, connection } = rig(parts);
    await dialogs.show(shown);
    assert.deepEqual(connection.said, [["dialog.reply", { dialogId: "d1", value: null }]]);
  }
});

test("a dialog that breaks fails its form and dismisses nothing", async () => {
  const { dialogs, asked, connection } = rig();
  const done = dialogs.show(select);
  asked[0].reject(new Error("no terminal"));
  await done;
  assert.deepEqual(connection.said, [["form.fail", { requestId: "r1", error: "no terminal" }]]);
});

test("a dialog closes with its call, with askd and when askd takes it back, and then answers nothing", async () => {
  for (const close of [({ end }) => end(), ({ dialogs }) => dialogs.gone(), ({ dialogs }) => dialogs.close({ dialogId: "d1" })]) {
    const parts = rig();
    const done = parts.dialogs.show(select);
    close(parts);
    assert.equal(parts.asked[0].signal.aborted, true);
    await done;
    assert.deepEqual(parts.connection.said, []);
  }
});

test("the call's aborted operation has no further dialogs", async () => {
  const { dialogs, calls, asked, connection } = rig();
  calls.open.get("r1").aborted = true;
  await dialogs.show(select);
  assert.deepEqual([asked.length, connection.said.length], [0, 1]);
});
