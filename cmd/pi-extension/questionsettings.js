"use strict";
// The command /ask-user-question-settings, in one line or by a menu. askd reads and writes the file.

const path = require("node:path");
const { LostError } = require("./connection.js");
const { agentDir } = require("./paths.js");
const { clean } = require("./text.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {import("./connection.js").Connection} Connection
 */

const usage = "Usage: /ask-user-question-settings <displayMode|singleSelectLayout|overlayToggleKey|timeout> <value|default>";
const noDialogs = "Use /ask-user-question-settings <setting> <value|default> when interactive dialogs are unavailable.";
const notRunning = "askd is not running. Start it by running `askd` in another pane";
const menuTitle = "ask_user_question settings — saved globally";
const done = "Done";

/** How each setting is asked for in the menu, in the order of the menu. @type {Record<string, (ui: Context["ui"], current: string) => Promise<string | undefined>>} */
const askers = {
  displayMode: (ui) => ui.select(choiceTitle("displayMode"), ["inline", "overlay", "default"]),
  singleSelectLayout: (ui) => ui.select(choiceTitle("singleSelectLayout"), ["auto", "list", "default"]),
  overlayToggleKey: (ui, current) => ui.input("Configure overlayToggleKey (off = disabled)", placeholder(current)),
  timeout: (ui, current) => ui.input("Configure timeout in milliseconds (0 = no timeout)", placeholder(current)),
};

/** @param {string} key */
function choiceTitle(key) {
  return `Configure ${key} (default restores environment/built-in fallback)`;
}

/** @param {string} current */
function placeholder(current) {
  return `Current: ${current}. Enter a value or default to restore fallback.`;
}

/**
 * @param {Connection} connection
 * @param {string} args
 * @param {Context} context
 */
async function configureQuestions(connection, args, context) {
  const words = args.split(/\s+/).filter(Boolean);
  /** @param {string} text @param {"info" | "warning" | "error"} level */
  const say = (text, level) => context.ui.notify(clean(text), level);
  if (words.length === 0) return context.hasUI ? menu(connection, context.ui, say) : say(noDialogs, "warning");
  const [key, value] = words;
  if (words.length !== 2 || !Object.hasOwn(askers, key)) return say(usage, "warning");
  await save(connection, key, value, say);
}

/**
 * Shows the settings until the person is done or one of them cannot be read.
 * @param {Connection} connection
 * @param {Context["ui"]} ui
 * @param {(text: string, level: "info" | "warning" | "error") => void} say
 */
async function menu(connection, ui, say) {
  for (;;) {
    const current = await request(connection, "settings.get", {});
    if (current.message) return say(current.message, "error");
    const rows = new Map(Object.keys(askers).map((key) => {
      const origin = Object.hasOwn(current.settings, key) ? "saved" : "environment/default";
      return [`${key}: ${current.effective[key]} (${origin})`, key];
    }));
    const chosen = await ui.select(menuTitle, [...rows.keys(), done]);
    const key = rows.get(chosen ?? done);
    if (key === undefined) return;
    const value = await askers[key](ui, String(current.effective[key]));
    if (value !== undefined) await save(connection, key, value.trim(), say);
  }
}

/**
 * @param {Connection} connection
 * @param {string} key
 * @param {string} value as the person typed it
 * @param {(text: string, level: "info" | "warning" | "error") => void} say
 */
async function save(connection, key, value, say) {
  const { saved, message, path: file } = await request(connection, "settings.set", { key, value });
  if (saved) say(`ask_user_question ${key}: ${value} — saved to ${file}`, "info");
  else say(message, "error");
}

/**
 * Asks askd; whatever keeps it from answering is a message too.
 * @param {Connection} connection
 * @param {string} method
 * @param {object} params
 * @returns {Promise<any>}
 */
async function request(connection, method, params) {
  const failed = (/** @type {string} */ reason) => ({
    saved: false, message: `Cannot update ask_user_question settings (${path.join(agentDir(), "ask-user-settings.json")}): Error: ${reason}`,
  });
  try {
    return (await connection.reach()) ? await connection.request(method, { file: "question", ...params }) : failed(notRunning);
  } catch (error) {
    return failed(error instanceof LostError ? notRunning : error instanceof Error ? error.message : String(error));
  }
}

module.exports = { configureQuestions };
