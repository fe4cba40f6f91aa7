"use strict";
// A message of the person's releases a wait (contract, "Background queue").

const { tell } = require("./connection.js");
const { later } = require("./guard.js");

/** How long after it was typed a message may take to stand in pi's queue. */
const queuePatience = 1000;

/** How often that is looked at. */
const pollEvery = 10;

class Waits {
  /**
   * @param {object} parts
   * @param {import("./session.js").Session} parts.session
   * @param {import("./connection.js").Connection} parts.connection
   * @param {import("./calls.js").Calls} parts.calls
   * @param {import("./panel.js").Panel} parts.panel
   */
  constructor({ session, connection, calls, panel }) {
    this.session = session;
    this.connection = connection;
    this.calls = calls;
    this.panel = panel;
    /** The panel has to be hidden once askd is there again. */
    this.hide = false;
    /** The person has sent something that the agent may not have read yet. */
    this.unread = false;
    calls.waitBegun = () => this.begun();
  }

  /** The person has sent a message. */
  typed() {
    this.unread = true;
    const wait = this.calls.wait;
    if (wait) this.release(wait, Date.now() + queuePatience);
  }

  /** A wait begins. What was sent just before would be read only when it ends, so it releases it as well. */
  begun() {
    this.unread &&= this.session.context?.hasPendingMessages() === true;
    const wait = this.calls.wait;
    if (wait && this.unread) this.release(wait, Date.now());
  }

  /**
   * Releases the wait once the message stands in pi's queue, so that both reach the model together.
   * @param {import("./calls.js").Call} wait
   * @param {number} until
   */
  release(wait, until) {
    if (this.calls.wait !== wait) return;
    const queued = this.session.context?.hasPendingMessages();
    if (!queued && Date.now() < until) {
      later(pollEvery, () => this.release(wait, until));
      return;
    }
    if (this.connection.ready) tell(this.connection, "session.userMessage", {});
    else this.defer(wait);
  }

  /**
   * Releases a wait that askd cannot be told of.
   * @param {import("./calls.js").Call} wait
   */
  defer(wait) {
    const pendingRequestIds = this.panel.state.pendingRequestIds;
    const text =
      `Question wait deferred (the user sent a message). ${pendingRequestIds.length} form(s) still pending: ` +
      `${pendingRequestIds.join(", ")}. This is not an answer. ` +
      "Do not call wait_for_answers again until the user or an answer prompts you.";
    const result = { status: "deferred", reason: "user_message", requestIds: pendingRequestIds, pendingRequestIds, results: [] };
    const line = { spans: [{ style: "warning", text: `Deferred, ${pendingRequestIds.length} pending.` }] };
    this.calls.abandon(wait, "lost");
    this.hide = true;
    wait.resolve({ content: [{ type: "text", text }], details: { ...result, transcript: [line] }, structuredContent: result });
  }

  /** askd is there again. */
  back() {
    if (this.hide) tell(this.connection, "queue.defer", { session: this.session.id });
    this.hide = false;
  }
}

module.exports = { Waits };
