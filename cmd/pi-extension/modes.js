"use strict";
// The question mode: normal, or background-only where every ask is queued and there is no wait (contract, "Background-only
// mode"). The global setting is askd's; a trusted project's own file goes before it. The mode decides which tools pi has.

const fs = require("node:fs");
const path = require("node:path");
const { dataOf, kinds } = require("./branch.js");
const { guard } = require("./guard.js");
const { tell } = require("./connection.js");
const { agentDir } = require("./paths.js");
/** @type {any[]} */
const normalTools = require("./tools.json");
/** @type {any[]} */
const backgroundTools = require("./tools-background-only.json");

/** The tool that background-only mode takes away. */
const waitTool = "wait_for_answers";

/** The settings file of the tools, in pi's agent folder and in a project's .pi folder. */
const settingsFile = path.join("extensions", "pi-agent-ask.json");

/** The version of the settings file's format. */
const schemaVersion = 5;

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {object} Change what is about to be changed
 * @property {boolean} [global] the global setting
 * @property {boolean | undefined} [project] the project's own word, undefined for none
 */

class Modes {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./connection.js").Connection} parts.connection
   * @param {(tool: any) => void} parts.register registers a tool, or registers it again
   */
  constructor({ pi, session, connection, register }) {
    this.pi = pi;
    this.session = session;
    this.connection = connection;
    this.register = register;
    this.global = readSwitch("backgroundOnly") === true;
    /** The project's own word; undefined when it says nothing or is not trusted. @type {boolean | undefined} */
    this.project = undefined;
    /** The mode in force. */
    this.backgroundOnly = this.global;
    /** A mode that the person did not want in this session. @type {boolean | undefined} */
    this.refused = undefined;
    this.asking = false;
    this.offer();
  }

  /** The mode that the settings ask for. @param {Change} [change] */
  wanted(change = {}) {
    const { global, project } = { global: this.global, project: this.project, ...change };
    return project ?? global;
  }

  /** Registers the tools of the mode in force. */
  offer() {
    const tools = this.backgroundOnly ? backgroundTools : normalTools;
    for (const tool of tools) this.register(tool);
    if (!this.backgroundOnly) return;
    for (const tool of normalTools) if (tool.name === waitTool) this.register({ ...tool, exposure: "hidden" });
  }

  /**
   * Another session, or another branch of it, is open.
   * @param {Context} context
   */
  enter(context) {
    this.project = context.isProjectTrusted?.() === false ? undefined : readMode(this.projectFile(context));
    this.refused = undefined;
    if (this.wanted() !== this.backgroundOnly && !this.requested) this.apply(this.wanted());
    else this.restore();
  }

  /** @param {Context} context */
  projectFile(context) {
    return path.join(context.cwd, ".pi", settingsFile);
  }

  /** A model request has gone out: from now on a change of the tools costs its cache. */
  request() {
    this.session.identity.requested = this.session.id;
  }

  get requested() {
    return this.session.identity.requested === this.session.id;
  }

  /**
   * What askd's settings say.
   * @param {any} settings
   */
  async settle(settings) {
    if (typeof settings?.behaviour !== "object") return;
    this.global = settings.behaviour.backgroundOnly === true;
    const wanted = this.wanted();
    if (wanted === this.backgroundOnly) this.refused = undefined;
    if (wanted === this.backgroundOnly || wanted === this.refused || this.asking) return;
    if (await this.agreed(wanted)) this.apply(this.wanted());
    else this.refused = wanted;
  }

  /**
   * Whether the mode may change.
   * @param {boolean} backgroundOnly
   * @returns {Promise<boolean>}
   */
  async agreed(backgroundOnly) {
    if (this.session.context && backgroundOnly === this.backgroundOnly) return true;
    return this.consent(`Switch to ${name(backgroundOnly)} questions?`);
  }

  /**
   * Asks the person whether the tools may change, where that has a price.
   * @param {string} question
   * @returns {Promise<boolean>}
   */
  async consent(question) {
    const context = this.session.context;
    if (!context) return false;
    if (!this.requested || this.session.ui !== "tui") return true;
    this.asking = true;
    try {
      return await context.ui.confirm(
        question,
        "This changes the tools that the model is given. The next request cannot use the provider's prompt cache of this " +
          "session, so it may be slower and cost more. Queued questions and answers stay.",
      );
    } finally {
      this.asking = false;
    }
  }

  /** @param {boolean} backgroundOnly */
  apply(backgroundOnly) {
    if (backgroundOnly !== this.backgroundOnly) {
      this.backgroundOnly = backgroundOnly;
      this.offer();
    }
    this.restore();
    this.tell();
  }

  /**
   * A branch that was recorded while the wait was hidden keeps it off, so the branch also keeps that it was hidden by the
   * mode and not switched off by the person.
   */
  restore() {
    const hidden = dataOf(this.session.branch(), kinds.tools).at(-1)?.hidden ?? [];
    if (this.backgroundOnly) {
      if (hidden.length === 0) this.pi.appendEntry(kinds.tools, { hidden: [waitTool] });
      return;
    }
    if (hidden.length === 0) return;
    this.pi.appendEntry(kinds.tools, { hidden: [] });
    const active = this.pi.getActiveTools();
    this.pi.setActiveTools([...active, ...hidden.filter((/** @type {string} */ tool) => !active.includes(tool))]);
  }

  /** Tells askd which mode is in force. */
  tell() {
    tell(this.connection, "session.mode", { backgroundOnly: this.backgroundOnly });
  }

  /**
   * Changes the setting, the mode with it, and neither when the person does not agree.
   * @param {Change} change
   * @param {() => Promise<void>} save rejects with what a person can do about it
   * @returns {Promise<boolean>} whether it was changed
   */
  async change(change, save) {
    const wanted = this.wanted(change);
    if (this.asking || !(await this.agreed(wanted))) return false;
    this.asking = true; // the news of our own change are none
    try {
      await save();
    } finally {
      this.asking = false;
    }
    Object.assign(this, change);
    this.refused = undefined;
    this.apply(this.wanted());
    return true;
  }

  describe() {
    const from = this.project === undefined ? "the global setting" : "this project's setting";
    const kept = this.wanted() === this.backgroundOnly ? "" : ` Until the next session; ${from} says ${name(this.wanted())}.`;
    return `Question mode: ${name(this.backgroundOnly)}, by ${kept ? "your choice" : from}.${kept}`;
  }
}

/** @param {boolean} backgroundOnly */
function name(backgroundOnly) {
  return backgroundOnly ? "background-only" : "normal";
}

/** @param {string} file @returns {any} an object; empty when there is no file */
function readSettings(file) {
  if (!fs.existsSync(file)) return {};
  const settings = JSON.parse(fs.readFileSync(file, "utf8"));
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) throw new Error(`${file} is not a JSON object; mend or remove it`);
  return settings;
}

/**
 * What a settings file says of the mode. A file that is wrong says nothing.
 * @param {string} file
 * @returns {boolean | undefined}
 */
function readMode(file) {
  return readSwitch("backgroundOnly", file);
}

/**
 * What a settings file says of one switch. A file that is wrong says nothing.
 * @param {string} key
 * @param {string} [file] without one the global file
 * @param {string} [section] of the file
 * @returns {boolean | undefined}
 */
function readSwitch(key, file = path.join(agentDir(), settingsFile), section = "behaviour") {
  const value = guard(readSettings)(file)?.[section]?.[key];
  return typeof value === "boolean" ? value : undefined;
}

/**
 * Writes a project's word, undefined to take it back. The rest of the file stays.
 * @param {string} file
 * @param {boolean | undefined} backgroundOnly
 */
function writeMode(file, backgroundOnly) {
  const settings = { schemaVersion, ...readSettings(file) };
  settings.behaviour = { ...settings.behaviour, backgroundOnly };
  if (backgroundOnly === undefined && !fs.existsSync(file)) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}.new`;
  fs.writeFileSync(fresh, JSON.stringify(settings, undefined, 2) + "\n");
  fs.renameSync(fresh, file);
}

module.exports = { Modes, name, readMode, readSwitch, writeMode, waitTool };
