"use strict";
// The cards of answers that came later than their calls. They are drawn in the rows of those calls, from what the
// session keeps (ask:completed), so that they look the same with askd away.

const { dataOf, kinds } = require("./branch.js");
const { guard } = require("./guard.js");

/**
 * @typedef {import("./rows.js").Line} Line
 */

class Cards {
  constructor() {
    /** Lines by request id. @type {Map<string, Line[]>} */
    this.lines = new Map();
    /** Requests by the outer call of theirs. @type {Map<string, Set<string>>} */
    this.nested = new Map();
    /** How to draw a row anew, by request id or, for outer calls, by tool call id. @type {Map<string, () => void>} */
    this.rows = new Map();
  }

  /**
   * Takes over what another branch holds.
   * @param {import("./branch.js").Entry[]} entries
   */
  load(entries) {
    this.lines.clear();
    this.nested.clear();
    for (const { requestId, parentToolCallId } of dataOf(entries, kinds.request)) this.nest(requestId, parentToolCallId);
    for (const { requestId, transcript } of dataOf(entries, kinds.completed)) this.keep(requestId, transcript);
    for (const draw of this.rows.values()) draw();
  }

  /**
   * @param {string} requestId
   * @param {string | undefined} parentToolCallId
   */
  nest(requestId, parentToolCallId) {
    if (!parentToolCallId) return;
    const inner = this.nested.get(parentToolCallId) ?? new Set();
    this.nested.set(parentToolCallId, inner.add(requestId));
  }

  /**
   * @param {string} requestId
   * @param {unknown} transcript
   */
  keep(requestId, transcript) {
    if (Array.isArray(transcript)) this.lines.set(requestId, transcript.filter((line) => Array.isArray(line?.spans)));
  }

  /**
   * An answer has come: the row of its call is drawn anew.
   * @param {string} requestId
   * @param {unknown} transcript
   */
  add(requestId, transcript) {
    this.keep(requestId, transcript);
    this.rows.get(requestId)?.();
    for (const [outer, inner] of this.nested) if (inner.has(requestId)) this.rows.get(outer)?.();
  }

  /**
   * The card of a request whose row is being drawn, and how to draw that row again.
   * @param {string} requestId
   * @param {(() => void) | undefined} invalidate
   * @returns {Line[] | undefined}
   */
  of(requestId, invalidate) {
    if (invalidate) this.rows.set(requestId, guard(invalidate));
    return this.lines.get(requestId);
  }

  /**
   * The cards of what an outer call asked.
   * @param {string} toolCallId
   * @param {(() => void) | undefined} invalidate
   * @returns {Line[][]}
   */
  within(toolCallId, invalidate) {
    if (invalidate) this.rows.set(toolCallId, guard(invalidate));
    return [...(this.nested.get(toolCallId) ?? [])].flatMap((requestId) => {
      const lines = this.lines.get(requestId);
      return lines ? [lines] : [];
    });
  }
}

module.exports = { Cards };
