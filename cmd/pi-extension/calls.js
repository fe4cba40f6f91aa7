"use strict";
// The tool calls that wait for askd. A call stays open over lost connections and restarts of askd; only an outcome, an
// error of askd's or the end of the operation closes it.

const { abortCall, interruption } = require("./aborts.js");
const { LostError, RemoteError, tell } = require("./connection.js");
const { needsUserInput } = require("./fallback.js");
const { guard, later, step } = require("./guard.js");
const { requestId: newRequestId } = require("./ids.js");
const { kinds } = require("./branch.js");
const { questionTool, unasked, waiting } = require("./question.js");
const { firstText, show, toResult } = require("./results.js");
const { waitTool } = require("./modes.js");

/** How long a call without a terminal waits for askd before it does without. */
const reachPatience = 2000;

/** How long a background call goes on trying to reach askd. */
const queuePatience = 10_000;

const queueUnavailable =
  "Background question queue is unavailable. Start askd by running `askd` in another pane of the terminal, then ask again.";
const waitNeedsTerminal = "wait_for_answers requires interactive TUI mode.";
const waitOff = "wait_for_answers is not available in background-only mode: answers arrive as messages.";

/** Tools whose agent always stands still. */
const blocking = new Set([waitTool, questionTool]);

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
 * @property {boolean} accepted askd has it on disk, or it is asked without askd
 * @property {boolean} alone it is asked without askd
 * @property {boolean} aborted its operation has ended
 * @property {boolean} stands askd says that what it had decided before the abort holds
 * @property {any} receipt what came of a background call between its abort and askd's word on that
 * @property {NodeJS.Timeout | undefined} patience ends a background call that cannot reach askd
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
   * @param {import("./cards.js").Cards} parts.cards
   * @param {import("./modes.js").Modes} parts.modes
   * @param {() => void} parts.changed what is open or accepted is not what it was
   */
  constructor({ pi, session, connection, acks, notice, cards, modes, changed }) {
    this.pi = pi;
    this.session = session;
    this.connection = connection;
    this.acks = acks;
    this.notice = notice;
    this.cards = cards;
    this.modes = modes;
    this.changed = changed;
    /** Opens the session again. Set once there is something to open it with. */
    this.reopen = () => {};
    /** Opens askd's pane where the person has set so. Set by whoever can. @type {() => Promise<boolean>} */
    this.openPane = async () => false;
    /** Asks without askd what can be asked so. Set by whoever can. @type {(call: Call) => void} */
    this.askAlone = (call) => call.reject(new Error(unasked(call.arguments)));
    /** Hears of each wait that begins. Set by whoever releases waits. */
    this.waitBegun = () => {};
    /** Hear of each call that has ended or whose operation has. @type {((call: Call) => void)[]} */
    this.enders = [];
    /** Acknowledges what the session shows by now. Set once deliveries are placed. */
    this.acknowledge = () => this.acks.look();
    /** Open calls by request id. @type {Map<string, Call>} */
    this.open = new Map();
    /** The outer calls of nested ones, from pi's tool_call event. @type {Map<string, string>} */
    this.parents = new Map();
    /** Calls that ended without askd, which is told when it is there again. @type {{requestId: string, reason: string}[]} */
    this.abandoned = [];
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
    if (signal?.aborted) return Promise.reject(new Error(interruption(tool)));
    if (tool === waitTool && this.modes.backgroundOnly) return Promise.reject(new Error(waitOff));
    return new Promise((resolve, reject) => {
      const abort = guard(() => {
        this.tellEnd(call);
        abortCall(this, call);
      });
      /** @template T @param {(value: T) => void} end @returns {(value: T) => void} */
      const once = (end) => (value) => {
        if (!this.open.delete(call.requestId)) return;
        signal?.removeEventListener("abort", abort);
        clearTimeout(call.patience);
        this.settled();
        this.tellEnd(call);
        end(value);
      };
      const call = this.note(tool, toolCallId, args, context);
      call.resolve = once(resolve);
      call.reject = once(reject);
      call.update = update;
      this.open.set(call.requestId, call);
      signal?.addEventListener("abort", abort, { once: true });
      this.begin(call);
      if (tool === waitTool) this.waitBegun();
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
    const background = !blocking.has(tool) && this.session.ui === "tui" && (args?.background === true || this.modes.backgroundOnly);
    this.parents.delete(toolCallId);
    if (tool !== waitTool) {
      // A nested call stands nowhere in the session, so its arguments are kept here.
      const kept = parentToolCallId ? { arguments: args } : {};
      step("before-request-noted", { toolCallId });
      this.pi.appendEntry(kinds.request, { requestId, toolCallId, parentToolCallId, tool, background, ...kept });
      if (background) this.cards.nest(requestId, parentToolCallId);
      step("request-noted", { requestId, toolCallId });
    }
    const none = () => {};
    return {
      requestId, toolCallId, parentToolCallId, tool, arguments: args, background, context,
      sent: false, asking: false, accepted: false, alone: false, aborted: false, stands: false, receipt: undefined, patience: undefined, resolve: none, reject: none, update: undefined,
    };
  }

  /** @param {(call: Call) => void} hear is told of each call that has ended or whose operation has, perhaps twice */
  whenEnded(hear) {
    this.enders.push(guard(hear));
  }

  /** @param {Call} call */
  tellEnd(call) {
    for (const hear of this.enders) hear(call);
  }

  /** @param {Call} call */
  begin(call) {
    this.connection.hold(true);
    if (this.connection.ready) return this.ask(call);
    if (call.background) {
      this.reachOrOpen(call);
      return this.hurry(call);
    }
    const served = this.session.ui === "tui" ? this.reachOrOpen(call) : this.connection.reachWithin(reachPatience);
    served.then(guard((ready) => {
      if (ready || !this.open.has(call.requestId)) return;
      if (this.session.ui === "tui") this.away(call);
      else if (call.tool === waitTool) call.reject(new Error(waitNeedsTerminal));
      else if (call.tool === questionTool) this.askAlone(call);
      else call.resolve(needsUserInput(call.tool, call.requestId, call.arguments));
    }));
  }

  /**
   * @param {Call} call
   * @returns {Promise<boolean>} whether askd is there
   */
  async reachOrOpen(call) {
    if (await this.connection.reach()) return true;
    return this.open.has(call.requestId) && this.openPane();
  }

  /**
   * A background call does not wait for askd as long as a blocking one: its agent has other work.
   * @param {Call} call
   */
  hurry(call) {
    this.connection.reach();
    call.patience ??= later(queuePatience, () => {
      if (this.connection.ready) return;
      this.abandon(call, "lost");
      call.reject(new Error(queueUnavailable));
    });
  }

  /** @param {Call} call */
  away(call) {
    this.notice.away(this.connection.failure, call.background);
    show(call, "askd is not running: run `askd` in another pane to be asked.", "warning");
  }

  /** The open calls that are askd's to end. */
  asked() {
    return [...this.open.values()].filter(({ alone }) => !alone);
  }

  /** The calls that are still running in askd. */
  list() {
    return this.asked().map(({ requestId, toolCallId, tool }) => ({ requestId, toolCallId, tool }));
  }

  /** The calls that askd must take for running: also those whose results pi has not written down yet. */
  unfinished() {
    return [...this.list(), ...this.acks.calls()];
  }

  /** The open wait, if there is one. */
  get wait() {
    return [...this.open.values()].find(({ tool }) => tool === waitTool);
  }

  /** Takes every open call up again on a new connection. */
  resume() {
    for (const { requestId, reason } of this.abandoned.splice(0)) tell(this.connection, "tool.abort", { requestId, reason });
    for (const call of this.asked()) this.ask(call);
  }

  /**
   * Remembers to tell askd that a call has ended. The session.open that is perhaps on its way names it as still open.
   * @param {Call} call
   * @param {string} reason
   */
  abandon({ requestId }, reason) {
    this.abandoned.push({ requestId, reason });
  }

  /**
   * Sends the call, or joins it when askd may know of it already.
   * @param {Call} call
   */
  ask(call) {
    if (call.asking) return;
    call.asking = true;
    clearTimeout(call.patience);
    call.patience = undefined;
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
    // A wait takes over what is not acknowledged: what the session shows already must not be among it.
    if (tool === waitTool) this.acknowledge();
    step("before-call-sent", { requestId });
    const answer = this.connection.request("tool.call", {
      tool, arguments: args, requestId, toolCallId, parentToolCallId, ...this.session.attachments(tool, args),
    });
    step("call-sent", { requestId });
    return answer;
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
    if (call.aborted && call.background && !call.stands && !outcome.isError) {
      call.receipt = outcome;
      return;
    }
    if (outcome.isError) call.reject(new Error(firstText(outcome)));
    else {
      for (const taken of outcome.deliveries ?? []) this.complete(taken);
      call.resolve(toResult(outcome, call.tool === waitTool ? undefined : requestId));
    }
    // In the same tick, and after the result: pi records the result and then stops.
    if (outcome.abortOperation && !call.aborted) guard(() => call.context.abort())();
    this.follow(call, outcome);
  }

  /**
   * Draws what a wait brought at the calls it belongs to.
   * @param {{requestId: string, outcomeId: string, transcript?: any[]}} taken
   */
  complete({ requestId, outcomeId, transcript }) {
    this.pi.appendEntry(kinds.completed, { requestId, outcomeId, transcript: transcript ?? [] });
    this.cards.add(requestId, transcript);
  }

  /**
   * Sees to it that what the result carries is acknowledged once pi has written it down.
   * @param {Call} call
   * @param {any} outcome ToolOutcome
   */
  follow({ requestId, toolCallId: own, parentToolCallId, tool }, { outcomeId, deliveries }) {
    const toolCallId = parentToolCallId ?? own;
    /** @param {{requestId: string, outcomeId: string}} ids */
    const release = ({ requestId, outcomeId }) => tell(this.connection, "delivery.release", { requestId, outcomeId });
    for (const { requestId, outcomeId } of deliveries ?? []) {
      this.acks.add({ requestId, outcomeId, toolCallId, lost: () => release({ requestId, outcomeId }) });
    }
    if (!outcomeId) return;
    const lost = () => {
      release({ requestId, outcomeId });
      this.reopen();
    };
    this.acks.add({ requestId, outcomeId, toolCallId, call: { requestId, toolCallId: own, tool }, lost });
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
    if (call.background) return this.hurry(call);
    if (this.session.ui === "tui" || !call.sent) return;
    call.reject(new Error("askd went away while the question was open; start `askd` and ask again."));
  }

  /** The connection has gone or was not to be had. @param {Error} failure */
  down(failure) {
    const calls = this.asked();
    if (calls.length === 0) return;
    this.notice.lost(() => !this.connection.ready && this.open.size > 0, failure, calls.every((call) => call.background));
  }

  /**
   * @param {any} params
   */
  accepted({ requestId, position }) {
    const call = this.open.get(requestId);
    if (!call) return;
    step("accepted-noted", { requestId });
    call.accepted = true;
    this.changed();
    if (call.background) return;
    if (call.tool === questionTool) return guard(() => call.update?.(waiting))();
    const place = position > 1 ? ` (number ${position} in the queue)` : "";
    show(call, `Waiting for your answer in askd${place}.`, "muted");
  }

  /** askd says that the session's wait is running. @param {number} pending */
  waits(pending) {
    const call = this.wait;
    if (!call) return;
    call.accepted = true;
    show(call, `Waiting in askd for ${pending} form(s).`, "muted");
  }

  settled() {
    this.changed();
    if (this.open.size > 0) return;
    this.connection.hold(false);
    this.notice.idle();
  }

  /** Whether the agent stands still for a person: outside a terminal that is told of ask_user_question alone. */
  blocks() {
    const told = (/** @type {Call} */ call) => this.session.ui === "tui" || call.tool === questionTool;
    return [...this.open.values()].some((call) => call.accepted && !call.background && told(call));
  }
}

module.exports = { Calls };
