"use strict";
// What a crash, or a journal that has gone, left half done on the branch.

const { callArguments, dataOf, kinds, unclosed } = require("./branch.js");
const { fault } = require("./guard.js");
const { LostError } = require("./connection.js");
const { prepare } = require("./prepare.js");

/**
 * Brings the branch in order before askd is told of it.
 * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} pi
 * @param {import("./session.js").Session} session
 */
function mend(pi, session) {
  if (session.ui !== "tui") return;
  const branch = session.branch();
  for (const { toolCallId, requestId } of unclosed(branch)) pi.appendEntry(kinds.dismissed, { toolCallId, requestId });
  // A marker whose message never came must not take what the person writes next for that message.
  const leaf = branch.at(-1);
  if (leaf?.type === "custom" && leaf.customType === kinds.resumeSent) pi.appendEntry(kinds.resumeVoid, leaf.data);
}

/**
 * Asks again what askd's journal does not have, from what the branch has.
 * @param {string[]} unknown request ids
 * @param {import("./session.js").Session} session
 * @param {import("./connection.js").Connection} connection
 */
function askAgain(unknown, session, connection) {
  const branch = session.branch();
  for (const data of dataOf(branch, kinds.request)) {
    const { requestId, toolCallId, parentToolCallId, tool, background } = data;
    if (!background || !unknown.includes(requestId)) continue;
    const args = data.arguments ?? callArguments(branch, toolCallId);
    if (args === undefined) continue;
    const prepared = prepare[tool]?.(args) ?? args;
    const call = { tool, arguments: prepared, requestId, toolCallId, parentToolCallId, ...session.attachments(tool, prepared) };
    connection.request("tool.call", call).catch((error) => {
      if (!(error instanceof LostError)) fault(error);
    });
  }
}

module.exports = { mend, askAgain };
