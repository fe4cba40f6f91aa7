"use strict";
// Tells the person, in pi, that a question waits for an askd that is not there.

const { LostError } = require("./connection.js");
const { later } = require("./guard.js");

/** The key of pi's status line. */
const statusKey = "askd";

/** How long an askd that went away may take to come back before anything is said: a restart is no news. */
const grace = 700;

class Notice {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    /** The notification has been shown since askd was last there. */
    this.said = false;
    /** The status line is set. */
    this.shown = false;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
  }

  /**
   * A call waits and askd is not there.
   * @param {Error | undefined} failure
   * @param {boolean} background only calls wait that give up soon
   */
  away(failure, background) {
    clearTimeout(this.timer);
    if (this.session.ui !== "tui") return;
    const ui = this.session.context?.ui;
    if (!this.said) ui?.notify(describe(failure, background), "warning");
    if (!this.shown) ui?.setStatus(statusKey, "askd: not running");
    this.said = this.shown = true;
  }

  /**
   * A call waits and askd has just gone.
   * @param {() => boolean} stillAway
   * @param {Error} failure
   * @param {boolean} background only calls wait that give up soon
   */
  lost(stillAway, failure, background) {
    clearTimeout(this.timer);
    this.timer = later(grace, () => {
      if (stillAway()) this.away(failure, background);
    });
  }

  /** No call waits any more. */
  idle() {
    clearTimeout(this.timer);
    if (this.shown) this.session.context?.ui.setStatus(statusKey, undefined);
    this.shown = false;
  }

  /** askd is there. */
  back() {
    this.idle();
    this.said = false;
  }
}

/**
 * @param {(Error & {code?: string}) | undefined} failure
 * @param {boolean} background
 */
function describe(failure, background) {
  const wait = background
    ? "The background question is given up in a few seconds; the agent is told and can ask again."
    : "The question waits until then; Esc gives it up.";
  const absent = !failure || failure instanceof LostError || failure.code === "ENOENT" || failure.code === "ECONNREFUSED";
  if (!absent) return `askd cannot be used: ${failure.message}. ${wait}`;
  return `askd is not running. Start it by running \`askd\` in another pane. ${wait}`;
}

module.exports = { Notice, describe };
