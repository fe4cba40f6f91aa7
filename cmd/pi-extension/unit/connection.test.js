"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { Connection, LostError, RemoteError, lines } = require("../connection.js");

/** A socket path of its own for each test. */
function place(t) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "askd"));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  return path.join(dir, "s");
}

/** A server that answers each request with what `answer` makes of it. */
async function serve(t, file, answer) {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", lines((line) => {
      const request = JSON.parse(line);
      const reply = answer(request, socket);
      if (reply) socket.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...reply }) + "\n");
    }, () => {}));
  });
  await new Promise((resolve) => server.listen(file, resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return { close, sockets };
}

/** A connection with its events in a list that can be waited on. */
function connect(t, file, greet = async () => {}) {
  const events = [];
  let changed = () => {};
  const note = (event) => { events.push(event); changed(); };
  const connection = new Connection(file, {
    greet,
    up: () => note("up"),
    down: (error) => note(`down ${error.code ?? error.message}`),
    notified: (method) => note(`notified ${method}`),
  });
  t.after(() => connection.stop());
  connection.hold(true);
  const wait = async (event) => {
    while (!events.includes(event)) await new Promise((resolve) => { changed = resolve; });
  };
  return { connection, events, wait };
}

test("it comes up when askd does, and again after askd has gone", async (t) => {
  const file = place(t);
  const { connection, events, wait } = connect(t, file);
  connection.start();
  connection.start();
  await wait("down ENOENT");
  assert.equal(connection.failure.code, "ENOENT");
  const first = await serve(t, file, () => ({ result: { n: 1 } }));
  await wait("up");
  assert.deepEqual(await connection.request("m", {}), { n: 1 });
  assert.equal(connection.failure, undefined);
  await first.close();
  await wait("down askd closed the connection");
  events.length = 0;
  await serve(t, file, () => ({ result: { n: 2 } }));
  await wait("up");
  assert.deepEqual(await connection.request("m", {}), { n: 2 });
});

test("requests that are open when askd goes are lost, not failed", async (t) => {
  const file = place(t);
  const { connection, wait } = connect(t, file);
  const server = await serve(t, file, () => undefined);
  connection.start();
  await wait("up");
  const open = assert.rejects(connection.request("m", {}), LostError);
  await server.close();
  await open;
  await assert.rejects(connection.request("m", {}), LostError);
});

test("errors of askd carry their kind and what to do", async (t) => {
  const file = place(t);
  const { connection, wait } = connect(t, file);
  await serve(t, file, () => ({ error: { code: 1, message: "no", data: { kind: "conflict", hint: "do" } } }));
  connection.start();
  await wait("up");
  await assert.rejects(connection.request("m", {}), (error) =>
    error instanceof RemoteError && error.kind === "conflict" && error.message === "no: do");
});

test("a refused greeting is a failure that is tried again", async (t) => {
  const file = place(t);
  let refuse = true;
  const { connection, wait } = connect(t, file, async () => { if (refuse) throw new Error("other protocol"); });
  await serve(t, file, () => ({ result: {} }));
  connection.start();
  await wait("down other protocol");
  refuse = false;
  await wait("up");
});

test("what listens and says nothing is given up", async (t) => {
  const file = place(t);
  const { connection, wait } = connect(t, file, (it) => it.request("initialize", {}));
  connection.greetPatience = 20;
  await serve(t, file, () => undefined);
  connection.start();
  await wait("down it does not answer");
});

test("reach tries at once and says how it went", async (t) => {
  const file = place(t);
  const { connection } = connect(t, file);
  assert.equal(await connection.reach(), false, "before the start");
  connection.start();
  assert.equal(await connection.reach(), false);
  connection.delay = 1e6;
  assert.equal(await connection.reach(), false);
  await serve(t, file, () => ({ result: {} }));
  assert.equal(await connection.reach(), true);
});

test("junk from the socket does no harm", async (t) => {
  const file = place(t);
  const { connection, events, wait } = connect(t, file);
  const server = await serve(t, file, () => ({ result: {} }));
  connection.start();
  await wait("up");
  for (const socket of server.sockets) socket.write('junk\n[]\nnull\n\n{"id":99,"result":1}\n{"method":"ping"}\n');
  await wait("notified ping");
  assert.deepEqual(await connection.request("m", {}), {});
  assert.ok(!events.some((event) => event.startsWith("down")));
});

test("lines are cut wherever the chunks are", () => {
  const whole = Buffer.from('{"a":"é"}\n\n{"b":2}\npart');
  for (let size = 1; size <= whole.length; size++) {
    const got = [];
    const read = lines((line) => got.push(line), () => assert.fail("too long"));
    for (let at = 0; at < whole.length; at += size) read(whole.subarray(at, at + size));
    assert.deepEqual(got, ['{"a":"é"}', "", '{"b":2}']);
  }
});
