"use strict";
// The pi session that the extension runs in, as askd is told of it (PROTOCOL, SessionInfo).

const os = require("node:os");
const { ancestry } = require("./ancestry.js");
const { branchEvents, completedElsewhere } = require("./branch.js");
const { gather } = require("./contextfiles.js");
const { processIdentity } = require("./ids.js");
const { legacyParts } = require("./legacy.js");
const paths = require("./paths.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {{requestId: string, toolCallId: string, tool: string}} OpenCall
 */

class Session {
  /** @param {Set<string>} tools the names of the tools that ask */
  constructor(tools) {
    this.tools = tools;
    this.identity = processIdentity();
    this.epoch = 0;
    /** Why the session is to be opened: what pi last said. */
    this.reason = "startup";
    /** pi's newest context of this session; undefined before it starts and after it has ended. @type {Context | undefined} */
    this.context = undefined;
    this.version = paths.piVersion();
    /** Whether askd runs on another machine: then it opens no file of this one. */
    this.remote = false;
    /** The session of which this connection's askd knows what earlier releases left there. */
    this.legacyTold = "";
  }

  /**
   * Enters a session, or another branch of it. Whatever belongs to an earlier epoch is void from here on.
   * @param {Context} context
   * @param {string} reason
   */
  enter(context, reason) {
    this.context = context;
    this.reason = reason;
    this.epoch = ++this.identity.epoch;
  }

  leave() {
    this.context = undefined;
  }

  /** @returns {"tui" | "rpc" | "json" | "print"} */
  get ui() {
    const context = this.context;
    if (context?.mode) return context.mode;
    if (!context?.hasUI) return "print";
    return process.stdout.isTTY ? "tui" : "rpc";
  }

  /**
   * What goes with a call's arguments: the files that they name, where askd cannot read them itself.
   * @param {string} tool
   * @param {any} args
   */
  attachments(tool, args) {
    return this.remote ? { files: gather(tool, args) } : {};
  }

  get id() {
    return this.context?.sessionManager.getSessionId() ?? "";
  }

  /** @returns {import("./branch.js").Entry[]} */
  branch() {
    return this.context?.sessionManager.getBranch() ?? [];
  }

  /**
   * Whether a push of askd's is meant for what is open now.
   * @param {{session?: string, epoch?: number}} params
   */
  owns({ session, epoch }) {
    if (!this.context) return false;
    return (epoch === undefined || epoch === this.epoch) && (session === undefined || session === this.id);
  }

  /**
   * What earlier releases left in the session file, while askd has not been told: in parts, each for a session.open.
   * @returns {import("./legacy.js").LegacyEntry[][]}
   */
  legacy() {
    const manager = this.context?.sessionManager;
    return !manager || this.legacyTold === this.id ? [] : legacyParts(manager.getEntries());
  }

  /**
   * @param {string} reason
   * @param {OpenCall[]} openCalls
   * @param {import("./legacy.js").LegacyEntry[]} [legacy]
   */
  info(reason, openCalls, legacy) {
    const context = this.context;
    if (!context) throw new Error("no session is open");
    const manager = context.sessionManager;
    const branch = branchEvents(manager.getBranch(), this.tools);
    const file = manager.getSessionFile();
    return {
      id: manager.getSessionId(),
      name: manager.getSessionName?.(),
      cwd: context.cwd,
      host: os.hostname(),
      gitBranch: paths.gitBranch(context.cwd),
      agent: { name: "pi", version: this.version ?? "" },
      agentDir: paths.agentDir(),
      projectTrusted: context.isProjectTrusted?.(),
      ...ancestry(manager.getHeader?.()?.parentSession),
      ui: this.ui,
      env: settingsFromEnvironment(),
      terminal: paths.terminalPane(),
      reason,
      branch,
      elsewhere: completedElsewhere(manager.getEntries(), branch, this.tools),
      openCalls,
      instance: this.identity.instance,
      epoch: this.epoch,
      sessionFile: file,
      ephemeral: file === undefined,
      surfaces: true,
      legacy,
    };
  }
}

/** @returns {Record<string, string>} the variables that the question tools read */
function settingsFromEnvironment() {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (name.startsWith("PI_ASK_USER_") && value !== undefined) found[name] = value;
  }
  return found;
}

module.exports = { Session };
