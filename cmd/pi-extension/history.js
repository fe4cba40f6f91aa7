"use strict";
// The tools over the history of the branch (contract, "Session question history"): there only while the setting is on, and
// never drawn.

const { kinds } = require("./branch.js");
const { LostError } = require("./connection.js");
const { readSwitch } = require("./modes.js");
const { OptionalTools } = require("./optional.js");
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

class HistoryTools extends OptionalTools {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./connection.js").Connection} parts.connection
   * @param {import("./calls.js").Calls} parts.calls
   * @param {import("./modes.js").Modes} parts.modes
   */
  constructor({ pi, session, connection, calls, modes }) {
    super({ pi, session, modes }, readSwitch(setting) === true, {
      names: [...historyNames],
      kind: kinds.historyTools,
      give: "Give the model the tools over the question history?",
      take: "Take the tools over the question history away?",
      register: (on) => this.register(on),
    });
    this.connection = connection;
    this.calls = calls;
    /** Calls that are running. */
    this.running = 0;
    this.begin();
  }

  /** @param {boolean} on */
  register(on) {
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

  /** What askd's settings say. @param {any} settings */
  take(settings) {
    if (typeof settings?.behaviour === "object") this.wanted = settings.behaviour[setting] === true;
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
