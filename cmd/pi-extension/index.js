"use strict";
// The askd extension of the Pi coding agent: it registers the tools that ask, sends their calls to askd over a Unix
// socket, and puts what comes back into pi's session. It decides nothing that askd can decide.
//
// CommonJS with Node's own modules only: pi loads that some ten times faster than TypeScript, on all its versions.

const { Acks } = require("./acks.js");
const { Bus } = require("./bus.js");
const { Calls } = require("./calls.js");
const { Connection, tell } = require("./connection.js");
const { guard, later } = require("./guard.js");
const { Notice } = require("./notice.js");
const { socketPath } = require("./paths.js");
const { prepare } = require("./prepare.js");
const { renderCall, renderResult } = require("./rows.js");
const { Session } = require("./session.js");
const { version } = require("./package.json");
/** @type {any[]} */
const tools = require("./tools.json");

/** How long the end of a session waits for askd to take leave. */
const farewell = 250;

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionAPI} ExtensionAPI
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {{session: Session, connection: Connection, acks: Acks, notice: Notice, bus: Bus, calls: Calls}} Parts
 */

/**
 * @param {ExtensionAPI} pi
 */
module.exports = function askd(pi) {
  const parts = assemble(pi);
  for (const tool of tools) register(pi, parts.calls, tool);
  followSession(pi, parts);
  followRun(pi, parts);
};

/**
 * @param {ExtensionAPI} pi
 * @returns {Parts}
 */
function assemble(pi) {
  const session = new Session(new Set(tools.map(({ name }) => name)));
  let reason = "";
  const connection = new Connection(socketPath(), {
    async greet() {
      await connection.request("initialize", { protocol: 1, client: { name: "askd-pi", version } });
      await open(reason || session.reason);
      reason = "reconnect";
    },
    up() {
      notice.back();
      acks.look();
      calls.resume();
    },
    down: (failure) => calls.down(failure),
    notified(method, params) {
      if (Object.hasOwn(pushes, method)) pushes[method](params, parts);
    },
  });
  const notice = new Notice(session);
  const acks = new Acks(session, connection);
  const bus = new Bus(pi, session, connection);
  const calls = new Calls({ pi, session, connection, acks, notice, bus });
  const parts = { session, connection, acks, notice, bus, calls };

  /**
   * Opens the session, once more when another branch was entered meanwhile.
   * @param {string} why
   */
  async function open(why) {
    for (let epoch = -1; epoch !== session.epoch; why = session.reason) {
      epoch = session.epoch;
      await connection.request("session.open", session.info(why, calls.list()));
    }
  }
  return parts;
}

/** What askd says of its own accord. @type {Record<string, (params: any, parts: Parts) => void>} */
const pushes = {
  "ask.accepted"(params, { session, calls }) {
    if (session.owns(params)) calls.accepted(params);
  },
  "ask.started": (params, { bus }) => bus.started(params),
  "ask.completed": (params, { bus }) => bus.completed(params),
  "session.stale"(_params, { session, connection, calls }) {
    reopen(session, connection, calls, "reconnect");
  },
  notify({ level, text }, { session }) {
    session.context?.ui.notify(text, level);
  },
};

/**
 * @param {Session} session
 * @param {Connection} connection
 * @param {Calls} calls
 * @param {string} reason
 */
function reopen(session, connection, calls, reason) {
  if (session.context && connection.ready) tell(connection, "session.open", session.info(reason, calls.list()));
}

/**
 * @param {ExtensionAPI} pi
 * @param {Calls} calls
 * @param {any} tool one entry of tools.json
 */
function register(pi, calls, tool) {
  pi.registerTool({
    ...tool,
    prepareArguments: (/** @type {any} */ args) => (prepare[tool.name] ?? ((same) => same))(args),
    execute: (/** @type {[string, any, AbortSignal | undefined, any, Context]} */ ...[id, args, signal, update, context]) =>
      calls.execute(tool.name, id, args, signal, update, context),
    renderCall: (/** @type {any} */ args, /** @type {any} */ theme) => renderCall(tool.name, args, theme),
    renderResult: (/** @type {any} */ result, /** @type {any} */ _options, /** @type {any} */ theme, /** @type {any} */ context) =>
      renderResult(result, theme, context?.isError === true),
  });
}

/**
 * Keeps askd informed of which session and branch is open.
 * @param {ExtensionAPI} pi
 * @param {Parts} parts
 */
function followSession(pi, { session, connection, acks, calls }) {
  pi.on("session_start", guard((event, context) => {
    session.enter(context, event.reason);
    connection.start();
    reopen(session, connection, calls, event.reason);
  }));
  pi.on("session_tree", guard((_event, context) => {
    acks.look();
    acks.clear();
    session.enter(context, "tree");
    reopen(session, connection, calls, "tree");
  }));
  pi.on("session_compact", guard(() => reopen(session, connection, calls, "compact")));
  pi.on("session_before_switch", guard(() => { calls.abortReason = "switch"; }));
  pi.on("session_before_fork", guard(() => { calls.abortReason = "fork"; }));
  pi.on("session_shutdown", guard(async (event) => {
    acks.look();
    if (connection.ready) await leave(connection, calls, event.reason);
    connection.stop();
    session.leave();
  }));
}

/**
 * @param {Connection} connection
 * @param {Calls} calls
 * @param {string} reason
 */
async function leave(connection, calls, reason) {
  connection.hold(true);
  const abortReason = reason === "quit" || reason === "fork" ? reason : "switch";
  for (const { requestId } of calls.list()) tell(connection, "tool.abort", { requestId, reason: abortReason });
  const closed = connection.request("session.close", { reason }).catch(() => {});
  await Promise.race([closed, new Promise((resolve) => later(farewell, () => resolve(undefined)))]);
}

/**
 * @param {ExtensionAPI} pi
 * @param {Parts} parts
 */
function followRun(pi, { acks, calls }) {
  pi.on("tool_call", guard((event) => {
    if (event.parentToolCallId) calls.parents.set(event.toolCallId, event.parentToolCallId);
  }));
  const look = guard(() => acks.look());
  pi.on("turn_start", look);
  pi.on("turn_end", look);
  pi.on("agent_end", look);
  pi.on("agent_settled", guard(() => {
    calls.abortReason = "user";
    acks.look();
  }));
}
