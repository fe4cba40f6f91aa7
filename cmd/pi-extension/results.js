"use strict";
// What askd answers a call with, in the shape of pi's results.

const { guard } = require("./guard.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").AgentToolResult<any>} Result
 */

/**
 * Draws a line under the call while it waits.
 * @param {{update: ((partial: Result) => void) | undefined}} call
 * @param {string} text
 * @param {string} style
 */
function show(call, text, style) {
  guard(() => call.update?.({ content: [{ type: "text", text }], details: { transcript: [{ spans: [{ style, text }] }] } }))();
}

/** @param {any} outcome */
function firstText(outcome) {
  const block = outcome.content?.find((/** @type {any} */ each) => each.type === "text");
  return block?.text ?? "The question failed.";
}

/**
 * @param {any} outcome
 * @param {string | undefined} requestId the request whose result it is
 * @returns {Result}
 */
function toResult({ content, details, structuredContent, outcomeId, transcript, provenance, deliveries }, requestId) {
  return {
    content,
    details: {
      ...details,
      requestId: details?.requestId ?? requestId,
      outcomeId,
      transcript,
      provenance,
      deliveries: deliveries?.map((/** @type {any} */ taken) => ({ requestId: taken.requestId, outcomeId: taken.outcomeId })),
    },
    structuredContent,
  };
}

module.exports = { firstText, show, toResult };
