"use strict";
// The tools over the history of the branch (contract, "Session question history"): there only while the setting is on, and
// never drawn.

const { dataOf, kinds } = require("./branch.js");
const { LostError } = require("./connection.js");
const { readSwitch } = require("./modes.js");
const { firstText } = require("./results.js");
/** @type {any[]} */
const tools = require("./tools-history.json");

/** The setting that brings the tools. */
const setting = "historyTools";

const notRunning = "The question history is unavailable. Start askd by running `askd` in another pane of the terminal, then try again.";
const interrupted = "Question history interrupted";

/** Names of the tools. */
const historyNames = new Set(tools.map(({ name }) => name));

/** A row that takes no line, whatever it stands for. */
const nothing = { render: () => /** @type {string[]} */ ([]), invalidate() {} };

/** How every row of these tools is drawn, also in sessions that are opened after the setting was turned off. */
const emptyRows = { renderShell: /** @type {const} */ ("self"), renderCall: () => nothing, renderResult: () => nothing };

/**
 * @typedef {import("@earendil-works/pi-coding-agent").AgentToolResult<any>} Result
 */

class HistoryTools {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./connection.js").Connection} parts.connection
   * @param {import("./calls.js").Calls} parts.calls
   * @param {import("./modes.js").Modes} parts.modes
   */
  constructor({ pi, session, connection, calls, modes }) {
    this.pi = pi;
    this.session = session;
    this.connection = connection;
    this.calls = calls;
    this.modes = modes;
    /** What the settings say. */
    this.wanted = readSwitch(setting) === true;
    /** Whether the tools are there. */
    this.on = false;
    /** What the person did not want in this session. @type {boolean | undefined} */
    this.refused = undefined;
    /** Calls that are running. */
    this.running = 0;
    if (this.wanted) this.offer(true);
  }

  /** @param {boolean} on */
  offer(on) {
    this.on = on;
    for (const tool of tools) {
      this.pi.registerTool({
        ...tool,
        ...emptyRows,
        ...(on ? {} : { exposure: "hidden" }),
        execute: (/** @type {string} */ id, /** @type {any} */ args, /** @type {AbortSignal | undefined} */ signal) =>
          this.execute(tool.name, id, args, signal),
      });
    }
  }

  /** Another session, or another branch of it, is open. */
  enter() {
    this.refused = undefined;
    if (this.wanted !== this.on && !this.modes.requested) this.offer(this.wanted);
    this.restore();
  }

  /**
   * A branch that was recorded without the tools keeps them off, so it also keeps whether they were offered: a person who
   * has switched them off since is left alone.
   */
  restore() {
    const offered = dataOf(this.session.branch(), kinds.historyTools).at(-1)?.offered === true;
    if (offered === this.on) return;
    this.pi.appendEntry(kinds.historyTools, { offered: this.on });
    if (!this.on) return;
    const active = this.pi.getActiveTools();
    this.pi.setActiveTools([...active, ...[...historyNames].filter((name) => !active.includes(name))]);
  }

  /** What askd's settings say. @param {any} settings */
  take(settings) {
    if (typeof settings?.behaviour === "object") this.wanted = settings.behaviour[setting] === true;
  }

  /** Brings the tools in line with the settings, with the person's consent where that has a price. */
  async settle() {
    const { wanted } = this;
    if (wanted === this.on) this.refused = undefined;
    if (wanted === this.on || wanted === this.refused || this.modes.asking) return;
    const question = wanted ? "Give the model the tools over the question history?" : "Take the tools over the question history away?";
    if (!(await this.modes.consent(question))) {
      this.refused = wanted;
      return;
    }
    if (this.wanted !== this.on) this.offer(this.wanted);
    this.restore();
  }

  /**
   * @param {string} tool
   * @param {string} toolCallId
   * @param {any} args
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Result>}
   */
  async execute(tool, toolCallId, args, signal) {
    if (signal?.aborted) throw new Error(interrupted);
    this.running++;
    this.connection.hold(true);
    try {
      const outcome = await Promise.race([this.ask(tool, toolCallId, args), aborted(signal)]);
      if (outcome.isError) throw new Error(firstText(outcome));
      const { content, details, structuredContent } = outcome;
      return { content, details, structuredContent };
    } finally {
      if (--this.running === 0) this.calls.settled();
    }
  }

  /**
   * @param {string} tool
   * @param {string} toolCallId
   * @param {any} args
   * @returns {Promise<any>} ToolOutcome
   */
  async ask(tool, toolCallId, args) {
    if (!(await this.connection.reach())) throw new Error(notRunning);
    try {
      return await this.connection.request("tool.call", { tool, toolCallId, arguments: args });
    } catch (error) {
      throw error instanceof LostError ? new Error(notRunning) : error;
    }
  }
}

/**
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<never>} rejects when the operation ends
 */
function aborted(signal) {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error(interrupted)), { once: true }));
}

module.exports = { HistoryTools, emptyRows, historyNames };
