"use strict";
// Sessions that earlier releases of the question tools wrote: their entries as events of the branch, and as askd takes
// them over (PROTOCOL, SessionInfo.legacy).

const { fault } = require("./guard.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").SessionEntry} Entry
 * @typedef {{type: string, data: any, entryId: string, timestamp: string}} LegacyEntry
 * @typedef {{legacy: Set<string>, made: Set<string>, asked: Map<string, any>, events: any[], delivered(how: string, requestId: string, outcomeId?: string): void}} Reader
 */

/** The version that those releases wrote into their entries. */
const version = 1;

/** How much of it goes into one message: askd reads 8 MiB, and the branch stands there too. */
const partBytes = 4 << 20;

/** A request that is longer than this, by its images, cannot be sent at all. */
const longestRequest = 7 << 20;

/**
 * The id of the outcome that a request of an earlier release has in the session file; undefined for requests of ours.
 * @param {Reader} reader
 * @param {string} requestId
 */
function legacyOutcome(reader, requestId) {
  return reader.legacy.has(requestId) ? outcomeOf(requestId) : undefined;
}

/** @param {string} requestId */
function outcomeOf(requestId) {
  return `legacy-${requestId}`;
}

/**
 * @param {Reader} reader
 * @param {any} data
 * @param {boolean} background
 */
function asked(reader, { version: written, requestId, toolCallId }, background) {
  if (written !== version || typeof requestId !== "string" || requestId === "" || reader.legacy.has(requestId)) return;
  const tool = "ask_user";
  reader.legacy.add(requestId);
  reader.asked.set(toolCallId ?? requestId, { requestId, toolCallId, tool, background });
  reader.events.push({ type: "asked", requestId, toolCallId, tool, background });
  // Those releases did not write down by which call a nested one was made; it had its answer, if any, from that one.
  if (!background && !reader.made.has(toolCallId)) reader.delivered("parent", requestId, outcomeOf(requestId));
}

/**
 * @param {Reader} reader
 * @param {any} data
 */
function completed(reader, { requestId, result, error }) {
  const ended = typeof error === "string" ? error !== "" : typeof result === "object" && result !== null;
  if (ended && reader.legacy.has(requestId)) reader.events.push({ type: "completed", requestId, outcomeId: outcomeOf(requestId) });
}

/** What each kind of their entries says of the branch. @type {Record<string, (reader: any, data: any) => void>} */
const legacyReaders = {
  "ask:history-request": (reader, data) => asked(reader, data, data.background === true),
  "ask:queued": (reader, data) => asked(reader, data, true),
  "ask:history-completed": (reader, data) => {
    if (data.version === version) completed(reader, data);
  },
  "ask:queue-completed": completed,
};

/** The kinds of entries that askd takes over. */
const imported = new Set(["ask:payload", ...Object.keys(legacyReaders)]);

/**
 * What a wait of an earlier release gave the agent.
 * @param {Reader} reader
 * @param {any} message a tool result
 * @returns {{requestId: string, outcomeId: string}[]}
 */
function legacyTaken(reader, { toolName, isError, details }) {
  if (toolName !== "wait_for_answers" || isError || !Array.isArray(details?.results)) return [];
  return details.results.flatMap((/** @type {any} */ taken) =>
    reader.legacy.has(taken?.requestId) ? [{ requestId: taken.requestId, outcomeId: outcomeOf(taken.requestId) }] : []);
}

/**
 * What earlier releases left in a session file, in parts that fit into a message each.
 * @param {Entry[]} entries all of the session's
 * @param {number} [limit]
 * @returns {LegacyEntry[][]} none when there is nothing
 */
function legacyParts(entries, limit = partBytes) {
  /** @type {LegacyEntry[]} */
  const found = [];
  for (const entry of entries) {
    if (entry.type !== "custom" || !imported.has(entry.customType) || typeof entry.data !== "object" || !entry.data) continue;
    found.push({ type: entry.customType, data: entry.data, entryId: entry.id, timestamp: entry.timestamp });
  }
  if (found.length === 0) return [];
  return size(found) <= limit ? [found] : split(found, limit);
}

/** @param {LegacyEntry[]} entries */
function size(entries) {
  return Buffer.byteLength(JSON.stringify(entries));
}

/**
 * Keeps the entries of each request together, and what still waits before what is over.
 * @param {LegacyEntry[]} entries
 * @param {number} limit
 */
function split(entries, limit) {
  const requests = [...byRequest(entries).values()];
  /** @type {LegacyEntry[][]} */
  const parts = [];
  let room = 0;
  for (const request of [...requests.filter(waits), ...requests.filter((each) => !waits(each))]) {
    const bytes = size(request);
    if (bytes > longestRequest) {
      fault(new Error(`a question of an earlier release is too large to be taken over: ${bytes} bytes`));
      continue;
    }
    if (bytes > room) {
      parts.push([]);
      room = limit;
    }
    parts[parts.length - 1].push(...request);
    room -= bytes;
  }
  return parts;
}

/** @param {LegacyEntry[]} entries */
function waits(entries) {
  return !entries.some(({ type }) => type.endsWith("-completed"));
}

/** @param {LegacyEntry[]} entries */
function byRequest(entries) {
  /** @type {Map<string, LegacyEntry[]>} */
  const requests = new Map();
  /** The payload that each call saved before its request was made. @type {Map<string, LegacyEntry[]>} */
  const payloads = new Map();
  for (const entry of entries) {
    const { requestId, toolCallId, sourceEntryId } = entry.data;
    const payload = entry.type === "ask:payload";
    const key = payload ? `payload ${sourceEntryId}` : requestId;
    const own = requests.get(key) ?? payloads.get(toolCallId) ?? [];
    payloads.delete(toolCallId);
    own.push(entry);
    if (payload) payloads.set(sourceEntryId, own);
    else requests.delete(`payload ${toolCallId}`);
    requests.set(key, own);
  }
  return requests;
}

module.exports = { legacyOutcome, legacyParts, legacyReaders, legacyTaken };
