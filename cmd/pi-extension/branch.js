"use strict";
// Reads pi's session file: what was asked on the branch, and what of it has been delivered (PROTOCOL, BranchEvent).

const { legacyOutcome, legacyReaders, legacyTaken } = require("./legacy.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").SessionEntry} Entry
 * @typedef {{type: string, requestId?: string, outcomeId?: string, toolCallId?: string, [more: string]: unknown}} BranchEvent
 * @typedef {object} Asked
 * @property {string} requestId
 * @property {string} [toolCallId]
 * @property {string} [parentToolCallId]
 * @property {string} tool
 * @property {boolean} background
 */

/** The kinds of the entries that the extension writes. */
const kinds = {
  request: "ask:request",
  completed: "ask:completed",
  panel: "ask:panel",
  resumeSent: "ask:resume-sent",
  resumeVoid: "ask:resume-void",
  dismissed: "ask:pending-dismissed",
  answer: "ask:background-answer",
  tools: "ask:tools",
  historyTools: "ask:history-tools",
  questionTool: "ask:question-tool",
};

/**
 * Collects the events of one list of entries. The fields carry what later entries need of earlier ones.
 */
class Reader {
  /** @param {Set<string>} tools the names of the tools that ask */
  constructor(tools) {
    this.tools = tools;
    /** @type {BranchEvent[]} */
    this.events = [];
    /** Calls without a result so far, by tool call id. @type {Map<string, BranchEvent>} */
    this.calls = new Map();
    /** @type {Map<string, Asked>} */
    this.asked = new Map();
    /** Every tool call so far, by its id. @type {Set<string>} */
    this.made = new Set();
    /** What earlier releases asked, by request id. @type {Set<string>} */
    this.legacy = new Set();
    /** The marker that the entry before was, if it was one. @type {{requestId: string, outcomeId?: string} | undefined} */
    this.marker = undefined;
  }

  /** @param {Entry} entry */
  read(entry) {
    const marker = this.marker;
    this.marker = undefined;
    if (entry.type === "custom") customEntries[entry.customType]?.(this, entry.data ?? {});
    else if (entry.type === "custom_message") this.message(entry.customType, entry.details);
    else if (entry.type === "message") messages[entry.message.role]?.(this, entry.message, marker);
  }

  /**
   * @param {string} kind
   * @param {any} details
   */
  message(kind, details) {
    if (kind !== kinds.answer || !details?.requestId) return;
    this.delivered("message", details.requestId, details.outcomeId ?? legacyOutcome(this, details.requestId));
  }

  /**
   * @param {string} how
   * @param {string} requestId
   * @param {string} [outcomeId]
   */
  delivered(how, requestId, outcomeId) {
    this.events.push({ type: "delivered", requestId, outcomeId, how });
  }
}

/** What each kind of our own entries says. @type {Record<string, (reader: Reader, data: any) => void>} */
const customEntries = {
  [kinds.request](reader, data) {
    const { requestId, toolCallId, parentToolCallId, tool, background } = data;
    if (typeof requestId !== "string") return;
    reader.asked.set(parentToolCallId ? requestId : (toolCallId ?? requestId), data);
    reader.events.push({ type: "asked", requestId, toolCallId, parentToolCallId, tool, background: background === true });
  },
  [kinds.completed](reader, { requestId, outcomeId }) {
    if (requestId) reader.events.push({ type: "completed", requestId, outcomeId });
  },
  [kinds.panel](reader, { visible }) {
    reader.events.push({ type: "panel", visible: visible === true });
  },
  [kinds.resumeSent](reader, data) {
    if (data.requestId) reader.marker = data;
  },
  [kinds.dismissed](reader, { toolCallId, requestId }) {
    reader.events.push({ type: "dismissed", toolCallId, requestId });
  },
  ...legacyReaders,
};

/** What each role of message says. @type {Record<string, (reader: Reader, message: any, marker?: {requestId: string, outcomeId?: string}) => void>} */
const messages = {
  assistant(reader, message) {
    for (const block of Array.isArray(message.content) ? message.content : []) {
      if (block.type !== "toolCall") continue;
      reader.made.add(block.id);
      if (!reader.tools.has(block.name)) continue;
      const event = { type: "call", toolCallId: block.id, tool: block.name, arguments: block.arguments };
      reader.calls.set(block.id, event);
      reader.events.push(event);
    }
  },
  toolResult(reader, message) {
    reader.calls.delete(message.toolCallId);
    const asked = reader.asked.get(message.toolCallId);
    if (asked && !isReceipt(asked, message)) resultOf(reader, asked.requestId, message);
    for (const taken of message.details?.deliveries ?? legacyTaken(reader, message)) reader.delivered("wait", taken.requestId, taken.outcomeId);
    for (const inner of reader.asked.values()) {
      if (inner.parentToolCallId === message.toolCallId && !inner.background) reader.delivered("parent", inner.requestId);
    }
  },
  user(reader, _message, marker) {
    if (marker) reader.delivered("user", marker.requestId, marker.outcomeId);
  },
};

/**
 * Whether a result only says that the questions were queued. A background call that was refused ends with its result.
 * @param {Asked} asked
 * @param {any} message
 */
function isReceipt(asked, message) {
  return asked.background && message.details?.status === "queued";
}

/**
 * @param {Reader} reader
 * @param {string} requestId
 * @param {any} message
 */
function resultOf(reader, requestId, message) {
  const outcomeId = message.details?.outcomeId;
  if (message.isError && !outcomeId) reader.delivered("aborted", requestId);
  else reader.delivered("result", requestId, outcomeId ?? legacyOutcome(reader, requestId));
}

/**
 * @param {Entry[]} entries the branch, oldest first
 * @param {Set<string>} tools
 * @returns {BranchEvent[]}
 */
function branchEvents(entries, tools) {
  const reader = new Reader(tools);
  for (const entry of entries) reader.read(entry);
  const open = new Set(reader.calls.values());
  return reader.events.filter((event) => event.type !== "call" || open.has(event));
}

/**
 * What was completed in the rest of the file, off the branch.
 * @param {Entry[]} entries all of the session's
 * @param {BranchEvent[]} branch
 * @param {Set<string>} tools
 * @returns {{requestId: string, outcomeId: string}[]}
 */
function completedElsewhere(entries, branch, tools) {
  /** @type {Map<string, {requestId: string, outcomeId: string}>} */
  const found = new Map();
  for (const { requestId, outcomeId } of branchEvents(entries, tools)) {
    if (requestId && outcomeId) found.set(outcomeId, { requestId, outcomeId });
  }
  for (const { outcomeId } of branch) if (outcomeId) found.delete(outcomeId);
  return [...found.values()];
}

/**
 * Whether the branch holds the result of a tool call, and with it everything that call was given.
 * @param {Entry[]} entries
 * @param {string} toolCallId
 */
function hasResult(entries, toolCallId) {
  return entries.findLast((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolCallId === toolCallId) !== undefined;
}

/**
 * The outcomes that the branch shows as delivered, by their ids.
 * @param {Entry[]} entries
 * @returns {Set<string>}
 */
function deliveredOutcomes(entries) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const { type, outcomeId } of branchEvents(entries, new Set())) {
    if (type === "delivered" && outcomeId) found.add(outcomeId);
  }
  return found;
}

/**
 * The data of the branch's own entries of one kind, oldest first.
 * @param {Entry[]} entries
 * @param {string} kind
 * @returns {any[]}
 */
function dataOf(entries, kind) {
  return entries.flatMap((entry) => (entry.type === "custom" && entry.customType === kind && entry.data ? [entry.data] : []));
}

/**
 * The arguments of a tool call as the model made it.
 * @param {Entry[]} entries
 * @param {string} toolCallId
 * @returns {any} undefined when the branch has no such call
 */
function callArguments(entries, toolCallId) {
  for (const entry of entries) {
    if (entry.type !== "message" || entry.message.role !== "assistant") continue;
    for (const block of entry.message.content) {
      if (block.type === "toolCall" && block.id === toolCallId) return block.arguments;
    }
  }
  return undefined;
}

/**
 * Recovered answers that are in the transcript while the calls they belong to are not closed yet.
 * @param {Entry[]} entries
 * @returns {{requestId: string, toolCallId?: string}[]}
 */
function unclosed(entries) {
  const events = branchEvents(entries, new Set());
  const dismissed = new Set(events.filter(({ type }) => type === "dismissed").map(({ requestId }) => requestId));
  const asked = new Map(events.filter(({ type }) => type === "asked").map((event) => [event.requestId, event]));
  return events.flatMap(({ type, how, requestId }) => {
    if (type !== "delivered" || how !== "user" || !requestId || dismissed.has(requestId)) return [];
    return [{ requestId, toolCallId: asked.get(requestId)?.toolCallId }];
  });
}

module.exports = { kinds, branchEvents, completedElsewhere, hasResult, deliveredOutcomes, dataOf, callArguments, unclosed };
