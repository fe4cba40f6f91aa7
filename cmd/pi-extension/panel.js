"use strict";
// What askd says of the session's queue: the count in the status line, and whether the person has hidden the questions,
// which the branch keeps.

const { dataOf, kinds } = require("./branch.js");

/** The key of pi's status line (contract, "Background queue"). */
const statusKey = "ask:queue";

/** The key of what says that the person is not to be disturbed. */
const quietKey = "askd:quiet";

/** @typedef {{pending: number, pendingRequestIds: string[], panelVisible: boolean, hidden?: boolean, waiting: number, foreground: number, quietUntil?: string}} State */

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
    /** What the status line says of do not disturb. @type {string | undefined} */
    this.quiet = undefined;
  }

  /** @param {State} state session.state */
  take(state) {
    this.state = state;
    this.count(state.pending);
    this.hush(state.quietUntil);
    this.remember(state.hidden);
    this.changed();
  }

  /** askd has gone: nothing is shown to the person, what was queued stays queued. */
  gone() {
    this.state = { ...this.state, panelVisible: false, foreground: 0, waiting: 0 };
    this.hush(undefined);
    this.changed();
  }

  /** The session ends, or another is open. */
  clear() {
    this.state = none;
    this.count(0);
    this.hush(undefined);
    this.changed();
  }

  /** @param {number} pending */
  count(pending) {
    if (this.shown === pending || !this.session.context) return;
    this.shown = pending;
    this.session.context.ui.setStatus(statusKey, pending > 0 ? `Questions pending: ${pending}` : undefined);
  }

  /** @param {string | undefined} until */
  hush(until) {
    const says = until && `askd: do not disturb until ${clockText(new Date(until), new Date())}`;
    if (this.quiet === says || !this.session.context) return;
    this.quiet = says;
    this.session.context.ui.setStatus(quietKey, says);
  }

  /** Whether the person was not to be disturbed by this session when askd last said so, and that has not ended. */
  quietNow() {
    return this.state.quietUntil !== undefined && Date.parse(this.state.quietUntil) > Date.now();
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

/**
 * A moment ahead as a person says it: the time alone for today, else with its day.
 * @param {Date} until
 * @param {Date} now
 */
function clockText(until, now) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const time = `${two(until.getHours())}:${two(until.getMinutes())}`;
  if (until.toDateString() === now.toDateString()) return time;
  const far = until.getTime() - now.getTime() > 6 * 24 * 60 * 60 * 1000;
  const day = far ? { day: "numeric", month: "short" } : { weekday: "short" };
  return `${until.toLocaleDateString("en-GB", /** @type {Intl.DateTimeFormatOptions} */ (day))} ${time}`;
}

module.exports = { Panel, clockText };
