"use strict";
// Opens askd's pane by itself when there is a question and no askd, where the person has set so (pane.autoOpen). How a
// multiplexer does that, askctl knows.

const { spawn } = require("node:child_process");
const { fault } = require("./guard.js");
const { readSwitch } = require("./modes.js");
const { terminalPane } = require("./paths.js");
const { clean } = require("./text.js");

/** How long askctl may take; it waits itself until askd answers. */
const patience = 15_000;

/** What is kept of what askctl says. */
const longestWord = 2000;

class Opener {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   * @param {() => boolean} [quiet] whether the person is not to be disturbed, as far as askd has said
   */
  constructor(session, connection, quiet = () => false) {
    this.session = session;
    this.connection = connection;
    this.quiet = quiet;
    /** It has been tried since askd was last there. */
    this.tried = false;
    /** The attempt that is on its way. @type {Promise<boolean> | undefined} */
    this.attempt = undefined;
  }

  /** askd is there: should it go, the next question may open it again. */
  back() {
    this.tried = false;
  }

  /**
   * Opens the pane when that is wanted and has not failed before.
   * @returns {Promise<boolean>} whether the connection is ready now
   */
  open() {
    if (!this.attempt && (this.tried || !this.wanted())) return Promise.resolve(false);
    this.tried = true;
    this.attempt ??= this.run().catch((error) => {
      fault(error);
      return false;
    }).finally(() => { this.attempt = undefined; });
    return this.attempt;
  }

  wanted() {
    return this.session.ui === "tui" && !this.quiet() && terminalPane() !== undefined && readSwitch("autoOpen", undefined, "pane") === true;
  }

  async run() {
    const why = await askctl(["open", "--socket", this.connection.path]);
    if (why === undefined) return this.connection.reach();
    this.session.context?.ui.notify(clean(`askd's pane could not be opened: ${why}`), "warning");
    return false;
  }
}

/**
 * Runs askctl to its end.
 * @param {string[]} args
 * @returns {Promise<string | undefined>} why it failed; undefined when it did not
 */
function askctl(args) {
  return new Promise((resolve) => {
    const child = spawn("askctl", args, { stdio: ["ignore", "ignore", "pipe"], timeout: patience });
    let said = "";
    child.stderr.on("data", (chunk) => { said = (said + chunk).slice(0, longestWord); });
    child.on("error", (/** @type {Error & {code?: string}} */ { code, message }) => {
      resolve(code === "ENOENT" ? "there is no `askctl` in the PATH of Pi" : message);
    });
    child.on("close", (code) => resolve(code === 0 ? undefined : said.trim().replace(/^askctl: /, "") || "askctl did not end well"));
  });
}

module.exports = { Opener };
