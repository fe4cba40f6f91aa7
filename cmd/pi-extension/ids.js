"use strict";
// Request ids: UUIDs of version 7, so that the keys of askd's journal grow with time.

const crypto = require("node:crypto");

/**
 * @param {number} [now] milliseconds since 1970
 * @returns {string}
 */
function requestId(now = Date.now()) {
  const bytes = crypto.randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * @typedef {object} Identity
 * @property {string} instance
 * @property {number} epoch
 * @property {string} [requested] the session for which the model has been asked something since it was started
 */

/**
 * What this process is called in SessionInfo.instance, and the last epoch it used. They outlive a reload of the
 * extension, which evaluates this file again: askd has to see the same instance with a higher epoch.
 * @returns {Identity}
 */
function processIdentity() {
  const key = Symbol.for("askd.pi.identity");
  const holder = /** @type {Record<symbol, Identity | undefined>} */ (
    /** @type {unknown} */ (globalThis)
  );
  return (holder[key] ??= { instance: crypto.randomUUID(), epoch: 0 });
}

module.exports = { requestId, processIdentity };
