"use strict";
// The tool calls that wait for askd. A call stays open over lost connections and restarts of askd; only an outcome, an
// error of askd's or the end of the operation closes it.

const { LostError, RemoteError, tell } = require("./connection.js");
const { needsUserInput } = require("./fallback.js");
const { guard, later, step } = require("./guard.js");
const { requestId: newRequestId } = require("./ids.js");
const { kinds } = require("./branch.js");

/** How long an aborted call waits for what askd decided about it. */
const abortPatience = 250;

/** How long a call without a terminal waits for askd before it does without. */
const reachPatience = 2000;

/** The text of a call whose operation was aborted (contract). */
const interrupted = "Question form interrupted";

/** Kinds of askd's errors that mean: ask again on the next connection. */
const passing = new Set(["shutting_down"]);

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {import("@earendil-works/pi-coding-agent").AgentToolResult<any>} Result
 * @typedef {object} Call
 * @property {string} requestId
 * @property {string} toolCallId
 * @property {string} [parentToolCallId]
 * @property {string} tool
 * @property {any} arguments
 * @property {boolean} background
 * @property {Context} context
 * @property {boolean} sent askd may know of it
 * @property {boolean} asking a request about it is on the wire
 * @property {boolean} accepted askd has it on disk
 * @property {boolean} aborted its operation has ended
 * @property {(result: Result) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((partial: Result) => void) | undefined} update
 */

class Calls {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./connection.js").Connection} parts.connection
   * @param {import("./acks.js").Acks} parts.acks
   * @param {import("./notice.js").Notice} parts.notice
   * @param {import("./bus.js").Bus} parts.bus
   */
  constructor({ pi, session, connection, acks, notice, bus }) {
    this.pi = pi;
    this.session = session;
    this.connection = connection;
    this.acks = acks;
    this.notice = notice;
    this.bus = bus;
    /** Open calls by request id. @type {Map<string, Call>} */
    this.open = new Map();
    /** The outer calls of nested ones, from pi's tool_call event. @type {Map<string, string>} */
    this.parents = new Map();
    /** Why an operation that ends now ends. */
    this.abortReason = "user";
  }

  /**
   * Runs one tool call.
   * @param {string} tool
   * @param {string} toolCallId
   * @param {any} args
   * @param {AbortSignal | undefined} signal
   * @param {((partial: Result) => void) | undefined} update
   * @param {Context} context
   * @returns {Promise<Result>}
   */
  execute(tool, toolCallId, args, signal, update, context) {
    if (signal?.aborted) return Promise.reject(new Error(interrupted));
    return new Promise((resolve, reject) => {
      const abort = guard(() => this.abort(call));
      /** @template T @param {(value: T) => void} end @returns {(value: T) => void} */
      const once = (end) => (value) => {
        if (!this.open.delete(call.requestId)) return;
        signal?.removeEventListener("abort", abort);
        this.settled();
        end(value);
      };
      const call = this.note(tool, toolCallId, args, context);
      call.resolve = once(resolve);
      call.reject = once(reject);
      call.update = update;
      this.open.set(call.requestId, call);
      signal?.addEventListener("abort", abort, { once: true });
      this.begin(call);
    });
  }

  /**
   * Makes the call's request and notes it in the session, so that the branch knows of it whatever comes next.
   * @param {string} tool
   * @param {string} toolCallId
   * @param {any} args
   * @param {Context} context
   * @returns {Call}
   */
  note(tool, toolCallId, args, context) {
    const requestId = newRequestId();
    const parentToolCallId = this.parents.get(toolCallId);
    const background = args?.background === true;
    this.parents.delete(toolCallId);
    this.pi.appendEntry(kinds.request, { requestId, toolCallId, parentToolCallId, tool, background });
    step("request-noted", { requestId, toolCallId });
    const none = () => {};
    return {
      requestId, toolCallId, parentToolCallId, tool, arguments: args, background, context,
      sent: false, asking: false, accepted: false, aborted: false, resolve: none, reject: none, update: undefined,
    };
  }

  /** @param {Call} call */
  begin(call) {
    this.connection.hold(true);
    if (this.connection.ready) return this.ask(call);
    const served = this.session.ui === "tui" ? this.connection.reach() : this.reachInTime();
    served.then(guard((ready) => {
      if (ready || !this.open.has(call.requestId)) return;
      if (this.session.ui === "tui") this.away(call);
      else call.resolve(needsUserInput(call.tool, call.requestId, call.arguments));
    }));
  }

  /** @returns {Promise<boolean>} */
  reachInTime() {
    return Promise.race([
      this.connection.reach(),
      new Promise((resolve) => later(reachPatience, () => resolve(false))),
    ]);
  }

  /** @param {Call} call */
  away(call) {
    this.notice.away(this.connection.failure);
    show(call, "askd is not running: run `askd` in another pane to be asked.", "warning");
  }

  /** The calls that askd has to know are still running. */
  list() {
    return [...this.open.values()].map(({ requestId, toolCallId, tool }) => ({ requestId, toolCallId, tool }));
  }

  /** Takes every open call up again on a new connection. */
  resume() {
    for (const call of this.open.values()) this.ask(call);
  }

  /**
   * Sends the call, or joins it when askd may know of it already.
   * @param {Call} call
   */
  ask(call) {
    if (call.asking) return;
    call.asking = true;
    const { requestId } = call;
    const asked = call.sent ? this.connection.request("tool.await", { requestId }) : this.send(call);
    asked.then(
      guard((outcome) => this.outcome(call, outcome)),
      guard((error) => this.failed(call, error)),
    );
  }

  /** @param {Call} call */
  send(call) {
    const { tool, arguments: args, requestId, toolCallId, parentToolCallId } = call;
    call.sent = true;
    step("call-sent", { requestId });
    return this.connection.request("tool.call", { tool, arguments: args, requestId, toolCallId, parentToolCallId });
  }

  /**
   * @param {Call} call
   * @param {any} outcome ToolOutcome
   */
  outcome(call, outcome) {
    call.asking = false;
    const { requestId, toolCallId, parentToolCallId } = call;
    const { outcomeId } = outcome;
    step("outcome-received", { requestId });
    if (!this.open.has(requestId)) {
      // The call gave up before this came: it is not in the session, and askd may deliver it some other way.
      if (outcomeId) tell(this.connection, "delivery.release", { requestId, outcomeId });
      return;
    }
    if (outcome.isError) call.reject(new Error(firstText(outcome)));
    else call.resolve(toResult(outcome, requestId));
    // In the same tick, and after the result: pi records the result and then stops.
    if (outcome.abortOperation && !call.aborted) guard(() => call.context.abort())();
    if (outcomeId) this.acks.add({ requestId, outcomeId, toolCallId: parentToolCallId ?? toolCallId });
  }

  /**
   * @param {Call} call
   * @param {Error} error
   */
  failed(call, error) {
    call.asking = false;
    if (!this.open.has(call.requestId)) return;
    if (error instanceof LostError) return this.lost(call);
    const kind = error instanceof RemoteError ? error.kind : undefined;
    if (kind && passing.has(kind)) return;
    if (kind === "not_found" && call.sent) {
      call.sent = false;
      return this.ask(call);
    }
    call.reject(error);
  }

  /** @param {Call} call */
  lost(call) {
    if (this.session.ui === "tui" || !call.sent) return;
    call.reject(new Error("askd went away while the question was open; start `askd` and ask again."));
  }

  /** The connection has gone or was not to be had. @param {Error} failure */
  down(failure) {
    if (this.open.size === 0) return;
    this.notice.lost(() => !this.connection.ready && this.open.size > 0, failure);
  }

  /**
   * The operation has ended. What askd had decided before stands, if it says so in time.
   * @param {Call} call
   */
  abort(call) {
    call.aborted = true;
    const stop = () => call.reject(new Error(interrupted));
    if (!this.connection.ready || !call.sent) return stop();
    tell(this.connection, "tool.abort", { requestId: call.requestId, reason: this.abortReason });
    later(abortPatience, stop);
  }

  /**
   * @param {any} params
   */
  accepted({ requestId, position }) {
    const call = this.open.get(requestId);
    if (!call) return;
    step("accepted-noted", { requestId });
    call.accepted = true;
    this.tellBlocked();
    const place = position > 1 ? ` (number ${position} in the queue)` : "";
    show(call, `Waiting for your answer in askd${place}.`, "muted");
  }

  settled() {
    this.tellBlocked();
    if (this.open.size > 0) return;
    this.connection.hold(false);
    this.notice.idle();
  }

  tellBlocked() {
    this.bus.blocked([...this.open.values()].some((call) => call.accepted && !call.background));
  }
}

/**
 * Draws a line under the call while it waits.
 * @param {Call} call
 * @param {string} text
 * @param {string} style
 */
function show(call, text, style) {
  guard(() => call.update?.({ content: [{ type: "text", text }], details: { transcript: [{ spans: [{ style, text }] }] } }))();
}

/** @param {any} outcome */
function firstText(outcome) {
  const block = outcome.content?.find((/** @type {any} */ each) => each.type === "text");
  return block?.text ?? "The question failed.";
}

/**
 * @param {any} outcome
 * @param {string} requestId
 * @returns {Result}
 */
function toResult({ content, details, structuredContent, outcomeId, transcript, provenance, deliveries }, requestId) {
  return {
    content,
    details: { ...details, requestId: details?.requestId ?? requestId, outcomeId, transcript, provenance, deliveries },
    structuredContent,
  };
}

module.exports = { Calls };
