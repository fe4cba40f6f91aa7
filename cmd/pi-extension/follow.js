"use strict";
// Follows pi's own events: which session and branch is open, and where its run stands.

const { tell } = require("./connection.js");
const { guard, later } = require("./guard.js");
const { mend } = require("./recovery.js");

/** How long the end of a session waits for askd to take leave. */
const farewell = 250;

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionAPI} ExtensionAPI
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {import("./index.js").Parts} Parts
 */

/**
 * Keeps askd informed of which session and branch is open.
 * @param {ExtensionAPI} pi
 * @param {Parts} parts
 */
function followSession(pi, parts) {
  const { session, connection, calls, panel, acks } = parts;
  pi.on("session_start", guard((event, context) => {
    if (event.reason !== "reload") session.identity.requested = undefined;
    enter(pi, parts, context, event.reason);
    connection.start();
    parts.reopen(event.reason);
  }));
  pi.on("session_tree", guard((_event, context) => {
    acks.look();
    enter(pi, parts, context, "tree");
    parts.reopen("tree");
  }));
  const compacted = guard(() => {
    parts.reopen("compact");
    parts.deliveries.pump();
  });
  pi.on("session_compact", compacted);
  pi.on("session_compact_failed", guard(() => parts.deliveries.pump()));
  pi.on("session_before_switch", guard(() => { calls.abortReason = "switch"; }));
  pi.on("session_before_fork", guard(() => { calls.abortReason = "fork"; }));
  pi.on("session_shutdown", guard(async (event) => {
    acks.look();
    if (connection.ready) await leave(connection, calls, event.reason);
    connection.stop();
    panel.clear();
    session.leave();
  }));
}

/**
 * @param {ExtensionAPI} pi
 * @param {Parts} parts
 * @param {Context} context
 * @param {string} reason
 */
function enter(pi, { session, acks, deliveries, panel, cards, modes, history, question }, context, reason) {
  session.enter(context, reason);
  acks.clear();
  deliveries.clear();
  panel.clear();
  mend(pi, session);
  cards.load(session.branch());
  modes.enter(context);
  history.enter();
  question.enter();
}

/**
 * @param {import("./connection.js").Connection} connection
 * @param {import("./calls.js").Calls} calls
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
 * Follows a run from the person's message to its end.
 * @param {ExtensionAPI} pi
 * @param {Parts} parts
 */
function followRun(pi, { acks, calls, deliveries, modes, waits }) {
  const look = guard(() => acks.look());
  const boundary = guard((/** @type {any} */ event) => {
    acks.look();
    return deliveries.boundary(event);
  });
  const settled = guard((/** @type {any} */ event) => {
    calls.abortReason = "user";
    deliveries.settled(event.aborted === true);
  });
  pi.on("input", guard((event) => {
    if (event.source === "extension") return;
    deliveries.expectRun();
    waits.typed();
  }));
  pi.on("tool_call", guard((event) => {
    if (event.parentToolCallId) calls.parents.set(event.toolCallId, event.parentToolCallId);
  }));
  pi.on("agent_start", guard(() => deliveries.begun()));
  pi.on("turn_start", guard(() => {
    modes.request();
    acks.look();
  }));
  pi.on("turn_end", boundary);
  pi.on("agent_before_settle", boundary);
  // Before it had boundaries, pi had no other end of a run.
  pi.on("agent_end", typeof pi.registerToolRenderer === "function" ? look : settled);
  pi.on("agent_settled", settled);
}

module.exports = { followRun, followSession };
