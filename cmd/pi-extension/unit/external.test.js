"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { LostError } = require("../connection.js");
const { External } = require("../external.js");
const { fakeConnection } = require("./fakes.js");

const questions = [{ id: "db", label: "Database", prompt: "Which?", type: "single", options: [{ value: "pg", label: "Postgres" }] }];
const surface = { session: "s1", epoch: 1, requestId: "r1", flowId: "tool:t1", toolCallId: "t1", title: "Storage", questions, createdAt: 7 };

/** One open call, other extensions that hear of it, and an askd that answers form.respond as told. */
function rig(listen, { reply = { ok: true }, open = true, aborted = false } = {}) {
  const connection = fakeConnection();
  const said = connection.request.bind(connection);
  connection.request = async (method, params) => {
    said(method, params);
    if (reply instanceof Error) throw reply;
    return method === "form.respond" ? reply : {};
  };
  const offers = [];
  const events = { emit: (channel, offer) => { offers.push([channel, offer]); listen?.(offer.connect, offer); } };
  const started = [];
  let ended;
  const calls = { open: new Map(open ? [["r1", { requestId: "r1", aborted }]] : []), whenEnded: (hear) => { ended = hear; } };
  const bus = { started: (event) => started.push(event) };
  const external = new External({ pi: { events }, session: { ui: "rpc", id: "s1" }, connection, calls, bus });
  return { external, connection, offers, started, end: () => ended({ requestId: "r1" }) };
}

const answer = { kind: "answer", answers: { db: { values: ["pg"] } } };
const provider = (open) => ({ version: 1, id: "bridge", open });

test("a form is offered once, as the contract has it, and the answer goes to askd as the surface's", async () => {
  let asked;
  const { external, connection, offers, started } = rig((connect) => {
    assert.equal(connect(provider(async (request) => { asked = request; return answer; })), true);
  });
  const done = external.offer(surface);
  assert.equal(asked, undefined, "opened while it was being offered");
  await done;
  const [[channel, { connect, ...offer }]] = offers;
  assert.deepEqual([channel, offer, offers.length], ["pi-agent-ask:external-ui", { version: 1, mode: "rpc", toolCallId: "t1" }, 1]);
  assert.equal(connect(provider(async () => answer)), false, "connected too late");
  const { signal, ...request } = asked;
  assert.deepEqual(request, { version: 1, flowId: "tool:t1", toolCallId: "t1", title: "Storage", questions });
  assert.notEqual(request.questions, questions, "not a copy");
  assert.equal(signal.aborted, false);
  assert.deepEqual(started, [{ version: 1, flowId: "tool:t1", toolCallId: "t1", title: "Storage", questions, source: "tool", createdAt: 7 }]);
  assert.deepEqual(connection.said, [["form.respond", { requestId: "r1", session: "s1", response: answer, via: "external" }]]);
});

test("the first valid provider wins", async () => {
  const throwing = { version: 1, get id() { throw new Error("x"); } };
  const bad = [undefined, null, 3, "x", {}, throwing, { ...provider(() => {}), version: 2 }, { ...provider(() => {}), id: " " }, { ...provider(() => {}), id: 3 }, { version: 1, id: "x" }];
  const opened = [];
  const { external } = rig((connect) => {
    for (const each of bad) assert.equal(connect(each), false);
    assert.equal(connect(provider(async () => { opened.push(1); return answer; })), true);
    assert.equal(connect(provider(async () => { opened.push(2); return answer; })), false);
  });
  await external.offer(surface);
  assert.deepEqual(opened, [1]);
});

test("without a provider the agent needs user input", async () => {
  const none = ["form.fail", { requestId: "r1", session: "s1", kind: "no_ui", error: undefined }];
  for (const listen of [undefined, (connect) => connect({}), () => { throw new Error("x"); }]) {
    const { external, connection, started } = rig(listen);
    await external.offer(surface);
    assert.deepEqual([connection.said, started], [[none], []]);
  }
  for (const parts of [{ open: false }, { aborted: true }]) {
    const { external, connection, offers } = rig((connect) => connect(provider(async () => answer)), parts);
    await external.offer(surface);
    assert.deepEqual([connection.said, offers], [[none], []]);
  }
});

test("a provider that rejects, throws or gives something else is a failure and no answer", async () => {
  const circular = {};
  circular.self = circular;
  const refused = { ok: false, error: "invalid_answer", message: 'Unknown question id "x".' };
  const invalid = "External ask UI returned an invalid response: ";
  for (const [open, message, reply] of [
    [async () => { throw new Error("the window was closed"); }, "the window was closed"],
    [() => { throw "closed"; }, "closed"],
    [async () => answer, `${invalid}Unknown question id "x".`, refused],
    [async () => circular, `${invalid}Submit response must be an object.`],
    [async () => ({ kind: "answer", answers: { db: { customText: "x".repeat(9 << 20) } } }), `${invalid}Submit response is too large.`],
  ]) {
    const { external, connection } = rig((connect) => connect(provider(open)), { reply });
    await external.offer(surface);
    assert.deepEqual(connection.said.at(-1), ["form.fail", { requestId: "r1", session: "s1", kind: "error", error: message }]);
  }
});

test("the end of the call closes the provider, and nothing that comes later counts", async () => {
  for (const late of [async (give) => give.resolve(answer), async (give) => give.reject(new Error("closed"))]) {
    let signal;
    const give = {};
    const { external, connection, end } = rig((connect) => connect(provider((request) => {
      signal = request.signal;
      return new Promise((resolve, reject) => Object.assign(give, { resolve, reject }));
    })));
    const done = external.offer(surface);
    await new Promise(setImmediate);
    end();
    assert.equal(signal.aborted, true);
    await late(give);
    await done;
    assert.deepEqual(connection.said, []);
  }
});

test("a call that ends before the provider is opened opens none", async () => {
  const { external, connection, started, end } = rig((connect) => connect(provider(() => assert.fail("opened"))));
  const done = external.offer(surface);
  end();
  await done;
  assert.deepEqual([connection.said, started], [[], []]);
});

test("what was answered elsewhere meanwhile, or an askd that went away, is no failure of the provider", async () => {
  for (const reply of [{ ok: false, error: "flow_not_found", message: "Ask flow is not active." }, new LostError("gone")]) {
    const { external, connection } = rig((connect) => connect(provider(async () => answer)), { reply });
    await external.offer(surface);
    assert.deepEqual(connection.said.map(([method]) => method), ["form.respond"]);
  }
});
