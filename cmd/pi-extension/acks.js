"use strict";
// An outcome counts as delivered once pi's session shows it, not when it was handed over. Until then it is kept here.

const { deliveredOutcomes, hasResult } = require("./branch.js");
const { later, step } = require("./guard.js");
const { tell } = require("./connection.js");

/** How long after handing an outcome over the branch is looked at, if no event comes first. */
const lookAfter = 50;

/**
 * How long an idle agent may take to show what it was given. The end of a run tells sooner; this is for a run that never
 * began.
 */
const doubtAfter = 30_000;

/**
 * @typedef {import("./branch.js").Entry} Entry
 * @typedef {object} Placed
 * @property {string} requestId
 * @property {string} outcomeId
 * @property {string} [toolCallId] the call whose result carries the outcome, the outer one of a nested call; without one
 *   a message carries it
 * @property {import("./session.js").OpenCall} [call] the call as askd has to know it until the result is seen
 * @property {(branch: Entry[]) => boolean} [shows] how it is seen when neither a result nor a message carries it
 * @property {() => void} [seen] what follows once it is seen
 * @property {() => void} lost what follows when it turns out not to have been placed
 * @property {number} [at] when it was placed
 */

class Acks {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   */
  constructor(session, connection) {
    this.session = session;
    this.connection = connection;
    /** @type {Placed[]} */
    this.placed = [];
    /** Seen while askd was not there to be told. @type {{requestId: string, outcomeId: string}[]} */
    this.owed = [];
  }

  /** @param {Placed} placed */
  add(placed) {
    step("placed", { requestId: placed.requestId });
    this.placed.push({ ...placed, at: Date.now() });
    later(lookAfter, () => this.look());
    later(doubtAfter + lookAfter, () => this.look());
  }

  /** @param {string} outcomeId */
  has(outcomeId) {
    return this.placed.some((placed) => placed.outcomeId === outcomeId);
  }

  /** The calls whose results the session does not show yet. */
  calls() {
    return this.placed.flatMap(({ call }) => (call ? [call] : []));
  }

  /**
   * Acknowledges what the branch shows by now. Cheap when nothing is waiting.
   * @param {boolean} [settled] a run has just ended: what it did not show will not come
   */
  look(settled = false) {
    const context = this.session.context;
    if (this.placed.length === 0 || !context) return;
    const branch = this.session.branch();
    const outcomes = deliveredOutcomes(branch);
    /** @param {Placed} placed */
    const shows = ({ outcomeId, toolCallId, shows }) =>
      shows ? shows(branch) : toolCallId ? hasResult(branch, toolCallId) : outcomes.has(outcomeId);
    const before = this.placed;
    const seen = before.filter(shows);
    const idle = context.isIdle();
    const now = Date.now();
    const lost = before.filter((placed) =>
      !seen.includes(placed) && idle && (settled || now - (placed.at ?? now) > doubtAfter));
    this.placed = before.filter((placed) => !seen.includes(placed) && !lost.includes(placed));
    for (const placed of seen) this.see(placed);
    for (const { lost: then } of lost) then();
  }

  /** @param {Placed} placed */
  see(placed) {
    step("seen-in-branch", { requestId: placed.requestId });
    placed.seen?.();
    this.acknowledge(placed);
  }

  /** @param {{requestId: string, outcomeId: string}} outcome */
  acknowledge({ requestId, outcomeId }) {
    if (!this.connection.ready) {
      this.owed.push({ requestId, outcomeId });
      return;
    }
    tell(this.connection, "delivery.ack", { requestId, outcomeId });
    step("acked", { requestId });
  }

  /** askd is there again. */
  back() {
    for (const outcome of this.owed.splice(0)) this.acknowledge(outcome);
    this.look();
  }

  /** Forgets everything: another branch is open, and the next session.open tells askd what is on it. */
  clear() {
    this.placed = [];
    this.owed = [];
  }
}

module.exports = { Acks };
