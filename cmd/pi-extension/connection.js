"use strict";
// One connection to askd: JSON-RPC 2.0, one message a line. It keeps trying until it is stopped.

const net = require("node:net");
const { guard, later, fault, step } = require("./guard.js");

/** The delay before the second attempt, doubled by each further one up to the longest. */
const firstDelay = 100;
const longestDelay = 2000;

/** How long a new connection may take until it is ready. Something that listens and says nothing is no askd. */
const greetPatience = 10_000;

/** The longest message askd sends. A longer line is not a message of askd's. */
const longestLine = 64 << 20;

/** The longest message that askd takes, less room for what stands around a response. */
const longestResponse = (8 << 20) - (1 << 16);

/** A request that got no answer because the connection went away. */
class LostError extends Error {}

/** An error that askd answered with. */
class RemoteError extends Error {
  /** @param {{code?: number, message?: string, data?: {kind?: string, hint?: string}}} error */
  constructor(error) {
    super([error.message ?? "askd failed", error.data?.hint].filter(Boolean).join(": "));
    this.kind = error.data?.kind;
  }
}

/**
 * @typedef {object} Hooks
 * @property {(connection: Connection) => Promise<void>} greet runs first on each new socket, before `up`
 * @property {() => void} up the connection is ready for everybody
 * @property {(error: Error) => void} down an attempt failed or a ready connection was lost
 * @property {(method: string, params: any) => void} notified
 */

class Connection {
  /**
   * @param {string} path
   * @param {Hooks} hooks
   */
  constructor(path, hooks) {
    this.path = path;
    this.hooks = hooks;
    /** True between `up` and `down`. */
    this.ready = false;
    /** The reason of the last failed attempt. @type {Error | undefined} */
    this.failure = undefined;
    /** @type {net.Socket | undefined} */
    this.socket = undefined;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    /** @type {(() => void)[]} */
    this.attempts = [];
    this.lastId = 0;
    this.delay = firstDelay;
    this.greetPatience = greetPatience;
    this.running = false;
    this.held = false;
  }

  /** Begins to connect. Does nothing when it has begun already. */
  start() {
    if (this.running) return;
    this.running = true;
    this.connect();
  }

  /** Closes for good, after what has been written is out. */
  stop() {
    this.running = false;
    clearTimeout(this.timer);
    this.socket?.end().unref();
    this.lose(new LostError("the connection was closed"));
  }

  /**
   * While held, the socket keeps pi alive: in print mode nothing else does.
   * @param {boolean} held
   */
  hold(held) {
    this.held = held;
    if (held) {
      this.socket?.ref();
      this.timer?.ref();
    } else {
      this.socket?.unref();
      this.timer?.unref();
    }
  }

  /**
   * Tries at once instead of after the delay; resolves when that attempt has come to an end, good or bad.
   * @returns {Promise<boolean>} whether the connection is ready
   */
  reach() {
    if (this.ready || !this.running) return Promise.resolve(this.ready);
    return new Promise((resolve) => {
      this.attempts.push(() => resolve(this.ready));
      if (this.timer) this.connect();
    });
  }

  /**
   * @param {number} ms how long that may take
   * @returns {Promise<boolean>} whether the connection is ready
   */
  reachWithin(ms) {
    return Promise.race([this.reach(), new Promise((resolve) => later(ms, () => resolve(false)))]);
  }

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>} rejects with a RemoteError or a LostError
   */
  request(method, params) {
    const socket = this.socket;
    if (!socket) return Promise.reject(new LostError("askd is not connected"));
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    });
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const socket = net.connect(this.path);
    if (!this.held) socket.unref();
    this.socket = socket;
    const read = lines(guard((line) => this.take(socket, line)), () => socket.destroy());
    socket.on("connect", guard(() => this.greet(socket)));
    socket.on("data", guard(read));
    socket.on("error", guard((error) => { this.failure = error; }));
    socket.on("close", guard(() => this.closed(socket)));
  }

  /** @param {net.Socket} socket */
  async greet(socket) {
    const timer = later(this.greetPatience, () => socket.destroy(new Error("it does not answer")));
    try {
      await this.hooks.greet(this);
    } catch (error) {
      if (!(error instanceof LostError)) this.failure = /** @type {Error} */ (error);
      socket.destroy();
      return;
    } finally {
      clearTimeout(timer);
    }
    if (this.socket !== socket) return;
    this.ready = true;
    this.failure = undefined;
    this.delay = firstDelay;
    step("connected");
    this.ended();
    this.hooks.up();
  }

  /** @param {net.Socket} socket */
  closed(socket) {
    if (this.socket !== socket) return;
    const failure = this.failure ?? new LostError("askd closed the connection");
    step("disconnected", { error: failure.message });
    this.lose(failure);
    if (!this.running) return;
    this.hooks.down(failure);
    this.timer = later(this.delay * (0.75 + Math.random() / 2), () => this.connect());
    if (this.held) this.timer.ref();
    this.delay = Math.min(this.delay * 2, longestDelay);
  }

  /** @param {Error} reason */
  lose(reason) {
    this.ready = false;
    this.socket = undefined;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(new LostError(reason.message));
    this.ended();
  }

  ended() {
    for (const attempt of this.attempts.splice(0)) attempt();
  }

  /**
   * @param {net.Socket} socket
   * @param {string} line
   */
  take(socket, line) {
    if (this.socket !== socket || line.trim() === "") return;
    const message = JSON.parse(line);
    if (message.method) {
      this.hooks.notified(message.method, message.params ?? {});
      return;
    }
    const waiter = this.waiting.get(message.id);
    if (!waiter) return;
    this.waiting.delete(message.id);
    if (message.error) waiter.reject(new RemoteError(message.error));
    else waiter.resolve(message.result ?? {});
  }
}

/**
 * Cuts a stream of bytes into lines.
 * @param {(line: string) => void} line
 * @param {() => void} tooLong
 * @returns {(chunk: Buffer) => void}
 */
function lines(line, tooLong) {
  /** @type {Buffer[]} */
  let parts = [];
  let length = 0;
  return (chunk) => {
    let from = 0;
    for (let at; (at = chunk.indexOf(10, from)) !== -1; from = at + 1) {
      parts.push(chunk.subarray(from, at));
      const whole = Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      line(whole);
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > longestLine) tooLong();
  };
}

/**
 * Sends what nobody waits for. Without a ready connection it is dropped: the next session.open says the same.
 * @param {Connection} connection
 * @param {string} method
 * @param {object} params
 */
function tell(connection, method, params) {
  if (!connection.ready) return;
  connection.request(method, params).catch((error) => {
    if (!(error instanceof LostError)) fault(error);
  });
}

/**
 * Why a response that another extension made cannot be sent as it is; undefined when it can.
 * @param {unknown} response
 */
function unsendable(response) {
  try {
    const text = JSON.stringify(response) ?? "";
    return Buffer.byteLength(text) > longestResponse ? "Submit response is too large." : undefined;
  } catch {
    return "Submit response must be an object."; // one that stands for itself in JSON
  }
}

module.exports = { Connection, LostError, RemoteError, lines, tell, unsendable };
