"use strict";
// What askd says of the session's queue: the count in the status line, and whether the person has hidden the questions,
// which the branch keeps.

const { dataOf, kinds } = require("./branch.js");

/** The key of pi's status line (contract, "Background queue"). */
const statusKey = "ask:queue";

/** @typedef {{pending: number, pendingRequestIds: string[], panelVisible: boolean, hidden?: boolean, waiting: number, foreground: number}} State */

/** @type {State} */
const none = { pending: 0, pendingRequestIds: [], panelVisible: false, waiting: 0, foreground: 0 };

class Panel {
  /**
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} pi
   * @param {import("./session.js").Session} session
   * @param {() => void} changed what blocks the agent may have changed
   */
  constructor(pi, session, changed) {
    this.pi = pi;
    this.session = session;
    this.changed = changed;
    this.state = none;
    this.shown = 0;
  }

  /** @param {State} state session.state */
  take(state) {
    this.state = state;
    this.count(state.pending);
    this.remember(state.hidden);
    this.changed();
  }

  /** askd has gone: nothing is shown to the person, what was queued stays queued. */
  gone() {
    this.state = { ...this.state, panelVisible: false, foreground: 0, waiting: 0 };
    this.changed();
  }

  /** The session ends, or another is open. */
  clear() {
    this.state = none;
    this.count(0);
    this.changed();
  }

  /** @param {number} pending */
  count(pending) {
    if (this.shown === pending || !this.session.context) return;
    this.shown = pending;
    this.session.context.ui.setStatus(statusKey, pending > 0 ? `Questions pending: ${pending}` : undefined);
  }

  /** @param {boolean | undefined} hidden */
  remember(hidden) {
    if (hidden === undefined || this.session.ui !== "tui") return;
    const visible = dataOf(this.session.branch(), kinds.panel).at(-1)?.visible !== false;
    if (visible === hidden) this.pi.appendEntry(kinds.panel, { visible: !hidden });
  }

  /** Whether the person has a form of the session before them. */
  blocks() {
    return this.session.ui === "tui" && (this.state.panelVisible || this.state.foreground > 0);
  }
}

module.exports = { Panel };
