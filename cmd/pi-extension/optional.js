"use strict";
// Tools that are there only while a setting is on.

const { dataOf } = require("./branch.js");

/**
 * @typedef {object} Wish how one set of tools is offered
 * @property {string[]} names of the tools
 * @property {string} kind of the branch's own entries that say whether they were offered
 * @property {string} give asks the person whether the model may have them
 * @property {string} take asks the person whether they may go
 * @property {(on: boolean) => void} register registers all of them, hidden when they are off
 */

class OptionalTools {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./modes.js").Modes} parts.modes
   * @param {boolean} wanted what the settings say
   * @param {Wish} wish
   */
  constructor({ pi, session, modes }, wanted, wish) {
    this.pi = pi;
    this.session = session;
    this.modes = modes;
    this.wanted = wanted;
    this.wish = wish;
    /** Whether the tools are there. */
    this.on = false;
    /** What the person did not want in this session. @type {boolean | undefined} */
    this.refused = undefined;
  }

  /** Registers the tools if they are wanted: pi has to know them before anything is connected. */
  begin() {
    if (this.wanted) this.offer(true);
  }

  /** @param {boolean} on */
  offer(on) {
    this.on = on;
    this.wish.register(on);
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
    const { names, kind } = this.wish;
    const offered = dataOf(this.session.branch(), kind).at(-1)?.offered === true;
    if (offered === this.on) return;
    this.pi.appendEntry(kind, { offered: this.on });
    if (!this.on) return;
    const active = this.pi.getActiveTools();
    this.pi.setActiveTools([...active, ...names.filter((name) => !active.includes(name))]);
  }

  /** Brings the tools in line with the settings, with the person's consent where that has a price. */
  async settle() {
    const { wanted } = this;
    if (wanted === this.on) this.refused = undefined;
    if (wanted === this.on || wanted === this.refused || this.modes.asking) return;
    if (!(await this.modes.consent(wanted ? this.wish.give : this.wish.take))) {
      this.refused = wanted;
      return;
    }
    if (this.wanted !== this.on) this.offer(this.wanted);
    this.restore();
  }
}

module.exports = { OptionalTools };
