"use strict";
// Questions that askd puts to the person through pi's own dialogs, where no form can be shown (PROTOCOL, dialog.show).

const { tell } = require("./connection.js");
const { guard } = require("./guard.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {object} Shown what askd wants shown
 * @property {string} dialogId
 * @property {string} requestId
 * @property {string} method
 * @property {string} title
 * @property {string[]} [options]
 * @property {string} [placeholder]
 * @property {number} [timeoutMs]
 * @typedef {{signal: AbortSignal, timeout?: number}} Limits
 */

/** How pi asks each kind. @type {Record<string, (ui: Context["ui"], shown: Shown, limits: Limits) => Promise<string | undefined>>} */
const methods = {
  select: (ui, { title, options }, limits) => ui.select(title, options ?? [], limits),
  input: (ui, { title, placeholder }, limits) => ui.input(title, placeholder, limits),
};

class Dialogs {
  /**
   * @param {object} parts
   * @param {import("./connection.js").Connection} parts.connection
   * @param {import("./calls.js").Calls} parts.calls
   */
  constructor({ connection, calls }) {
    this.connection = connection;
    this.calls = calls;
    /** What is on the screen. @type {Map<string, {requestId: string, stop: () => void}>} */
    this.open = new Map();
    calls.whenEnded(({ requestId }) => this.end(requestId));
  }

  /** @param {Shown} shown dialog.show */
  async show(shown) {
    const { dialogId, requestId } = shown;
    const call = this.calls.open.get(requestId);
    const method = Object.hasOwn(methods, shown.method) ? methods[shown.method] : undefined;
    if (!call || call.aborted || !method || !call.context.hasUI) return this.reply(dialogId, null);
    const operation = new AbortController();
    this.open.set(dialogId, { requestId, stop: () => operation.abort() });
    /** @type {string | undefined} */
    let value;
    try {
      const timeout = shown.timeoutMs ? { timeout: shown.timeoutMs } : {};
      value = await method(call.context.ui, shown, { signal: operation.signal, ...timeout });
    } catch (error) {
      // Nobody can be asked this way, and nobody has dismissed anything.
      if (this.open.delete(dialogId)) tell(this.connection, "form.fail", { requestId, error: error instanceof Error ? error.message : String(error) });
      return;
    }
    // What was taken back is not answered, whatever pi made of it.
    if (this.open.delete(dialogId)) this.reply(dialogId, typeof value === "string" ? value : null);
  }

  /**
   * @param {string} dialogId
   * @param {string | null} value null for none
   */
  reply(dialogId, value) {
    tell(this.connection, "dialog.reply", { dialogId, value });
  }

  /** @param {{dialogId: string}} params dialog.close */
  close({ dialogId }) {
    const dialog = this.open.get(dialogId);
    this.open.delete(dialogId);
    if (dialog) guard(dialog.stop)();
  }

  /** A call has ended, or its operation has: nothing of it stays on the screen. @param {string} requestId */
  end(requestId) {
    for (const [dialogId, dialog] of this.open) if (dialog.requestId === requestId) this.close({ dialogId });
  }

  /** askd has gone: nobody waits for an answer. */
  gone() {
    for (const dialogId of [...this.open.keys()]) this.close({ dialogId });
  }
}

module.exports = { Dialogs, methods };
