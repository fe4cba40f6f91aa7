"use strict";
// An outcome counts as delivered once pi's session shows it, not when it was handed over. Until then it is kept here.

const { hasResult } = require("./branch.js");
const { later, step } = require("./guard.js");
const { tell } = require("./connection.js");

/** How long after handing a result over the branch is looked at, if no event comes first. */
const lookAfter = 50;

/**
 * @typedef {object} Placed
 * @property {string} requestId
 * @property {string} outcomeId
 * @property {string} toolCallId the call whose result carries the outcome, the outer one of a nested call
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
  }

  /** @param {Placed} placed */
  add(placed) {
    step("placed", { requestId: placed.requestId });
    this.placed.push(placed);
    later(lookAfter, () => this.look());
  }

  /** Acknowledges what the branch shows by now. Cheap when nothing is waiting. */
  look() {
    if (this.placed.length === 0 || !this.session.context) return;
    const branch = this.session.branch();
    this.placed = this.placed.filter((placed) => {
      if (!hasResult(branch, placed.toolCallId)) return true;
      const { requestId, outcomeId } = placed;
      step("seen-in-branch", { requestId });
      if (this.connection.ready) tell(this.connection, "delivery.ack", { requestId, outcomeId });
      step("acked", { requestId });
      return false;
    });
  }

  /** Forgets everything: another branch is open, and the next session.open tells askd what is on it. */
  clear() {
    this.placed = [];
  }
}

module.exports = { Acks };
