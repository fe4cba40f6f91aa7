"use strict";
// The end of the operation that a call belongs to. What askd had decided before it stands.

const { LostError } = require("./connection.js");
const { guard, later } = require("./guard.js");
const { waitTool } = require("./modes.js");
const { interrupted, questionTool } = require("./question.js");

/** How long an aborted call waits for what askd decided about it. */
const patience = 250;

/** @typedef {import("./calls.js").Call} Call */

/**
 * The text of a call whose operation was aborted (contract).
 * @param {string} tool
 */
function interruption(tool) {
  return tool === waitTool ? "Question wait interrupted" : "Question form interrupted";
}

/**
 * @param {import("./calls.js").Calls} calls
 * @param {Call} call
 */
function abortCall(calls, call) {
  call.aborted = true;
  const { requestId } = call;
  const reason = calls.abortReason;
  const stop = () => (call.tool === questionTool ? call.resolve(interrupted()) : call.reject(new Error(interruption(call.tool))));
  if (call.alone) return stop();
  if (!calls.connection.ready || !call.sent) {
    calls.abandon(call, reason);
    return stop();
  }
  calls.connection.request("tool.abort", { requestId, reason }).then(
    guard(({ state }) => judged(calls, call, state)),
    guard((error) => { if (!(error instanceof LostError)) throw error; }),
  );
  // What a wait was given goes out again with its abort: its result must not bring it as well.
  if (call.tool === waitTool) return stop();
  later(patience, stop);
}

/**
 * askd has said what the abort met. A foreground call ends with its own result; a background one may have got its receipt
 * for a form that is there no more.
 * @param {import("./calls.js").Calls} calls
 * @param {Call} call
 * @param {string} state
 */
function judged(calls, call, state) {
  if (!call.background || !calls.open.has(call.requestId)) return;
  if (state !== "ended") return call.reject(new Error(interruption(call.tool)));
  call.stands = true;
  if (call.receipt) calls.outcome(call, call.receipt);
}

module.exports = { abortCall, interruption };
