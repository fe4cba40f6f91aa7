"use strict";
// ask_user_question without askd: where pi has dialogs and askd cannot be reached, its questions are put by the rules by which
// askd would put them (the readme, "In RPC/headless mode").

const fs = require("node:fs");
const path = require("node:path");
const { methods } = require("./dialogs.js");
const { guard } = require("./guard.js");
const { agentDir } = require("./paths.js");
const { interrupted, unasked, waiting } = require("./question.js");
const { questionFault } = require("./questioncheck.js");
const { clean } = require("./text.js");

// The published texts of the dialogs.
const ownAnswer = "✏️ Type custom response...";
const typeAnswer = "Type your answer...";
const typeSelections = "Type your selection(s)...";
const selectHints = "Options (select one or more):";

const longestTimeout = 2147483647;

/**
 * @typedef {import("./calls.js").Call} Call
 * @typedef {{question: string, kind: "option" | "multi" | "custom", answer: string | null, selected?: string[]}} Answer
 * @typedef {(method: string, title: string, more: {options?: string[], placeholder?: string}) => Promise<string | undefined>} Put
 */

class Alone {
  /** @param {import("./calls.js").Calls} calls */
  constructor(calls) {
    this.calls = calls;
    /** What closes the dialogs of each call. @type {Map<string, () => void>} */
    this.open = new Map();
    calls.whenEnded(({ requestId }) => this.open.get(requestId)?.());
  }

  /** Asks, and ends the call by what came of it. @param {Call} call */
  async ask(call) {
    const { arguments: args, context, requestId } = call;
    const fault = questionFault(args);
    if (fault || !context.hasUI) return call.reject(new Error(fault ?? unasked(args)));
    const operation = new AbortController();
    const deadline = limit(context);
    const timer = deadline ? setTimeout(() => operation.abort(), deadline - Date.now()) : undefined;
    this.open.set(requestId, () => operation.abort());
    this.begin(call);
    try {
      const answers = await putAll(args.questions, dialogs(context.ui, operation.signal, deadline));
      call.resolve(answers && !operation.signal.aborted ? answered(answers) : interrupted());
    } catch (error) {
      call.reject(error instanceof Error ? error : new Error(String(error)));
    } finally {
      clearTimeout(timer);
      this.open.delete(requestId);
    }
  }

  /** From here on the agent stands still, and askd, should it come, has no part in the call. @param {Call} call */
  begin(call) {
    call.alone = call.accepted = true;
    this.calls.changed();
    guard(() => call.update?.(waiting))();
  }
}

/**
 * @param {import("./dialogs.js").Context["ui"]} ui
 * @param {AbortSignal} signal
 * @param {number} deadline in milliseconds since 1970; 0 for none
 * @returns {Put}
 */
function dialogs(ui, signal, deadline) {
  return async (method, title, more) => {
    const left = deadline ? deadline - Date.now() : 0;
    if (signal.aborted || left < 0) return undefined;
    const value = await methods[method](ui, { dialogId: "", requestId: "", method, title, ...more }, { signal, ...(left ? { timeout: left } : {}) });
    return signal.aborted || typeof value !== "string" ? undefined : value;
  };
}

/**
 * @param {any[]} questions
 * @param {Put} put
 * @returns {Promise<Answer[] | undefined>} nothing when one of them was dismissed
 */
async function putAll(questions, put) {
  const answers = [];
  for (const [i, entry] of questions.entries()) {
    const title = `(${i + 1}/${questions.length}) ${entry.question.trim()}`;
    const answer = await (entry.multiSelect === true ? several : single)(entry, title, put);
    if (!answer) return undefined;
    answers.push({ question: entry.question.trim(), ...answer });
  }
  return answers;
}

/** @param {any} entry @param {string} title @param {Put} put @returns {Promise<Omit<Answer, "question"> | undefined>} */
async function single({ options }, title, put) {
  const labels = options.map((/** @type {any} */ { label }) => label.trim());
  const chosen = await put("select", title, { options: [...labels, ownAnswer] });
  if (chosen !== ownAnswer) return chosen?.trim() ? { kind: "option", answer: chosen.trim() } : undefined;
  const own = (await put("input", title, { placeholder: typeAnswer }))?.trim();
  return own ? { kind: "custom", answer: own } : undefined;
}

/** @param {any} entry @param {string} title @param {Put} put @returns {Promise<Omit<Answer, "question"> | undefined>} */
async function several({ options }, title, put) {
  const listed = options.map((/** @type {any} */ { label, description }, /** @type {number} */ j) =>
    `${j + 1}. ${label.trim()}${description ? ` — ${description}` : ""}`);
  const line = await put("input", [title, "", selectHints, ...listed].join("\n"), { placeholder: typeSelections });
  const selected = (line ?? "").split(",").map((piece) => piece.trim()).filter(Boolean);
  return selected.length > 0 ? { kind: "multi", answer: null, selected } : undefined;
}

/** @param {Answer[]} answers */
function answered(answers) {
  const lines = answers.map(({ question, answer, selected }, i) => `${i + 1}. ${question} → ${answer ?? (selected ?? []).join(", ")}`);
  return {
    content: [{ type: /** @type {const} */ ("text"), text: [`User answered ${answers.length} questions:`, ...lines].join("\n") }],
    details: { answers, cancelled: false },
  };
}

/**
 * When the call has to be over, by the person's settings: the time of the end, 0 for none. Settings that cannot be read are said
 * to be so and left out.
 * @param {import("./dialogs.js").Context} context
 */
function limit(context) {
  const file = path.join(agentDir(), "ask-user-settings.json");
  try {
    if (!fs.existsSync(file)) return 0;
    const { timeout = 0 } = checked(JSON.parse(fs.readFileSync(file, "utf8")));
    return timeout > 0 ? Date.now() + timeout : 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.ui.notify(clean(`Cannot load ask_user_question settings from ${file}: ${reason}. Using environment/default settings.`), "warning");
    return 0;
  }
}

/** @param {any} settings the file, of which one bad value refuses the whole */
function checked(settings) {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) throw new Error("Settings must be a JSON object.");
  const { displayMode = "inline", singleSelectLayout = "auto", overlayToggleKey = "", timeout = 0 } = settings;
  if (!["inline", "overlay"].includes(displayMode)) throw new Error("displayMode must be inline or overlay.");
  if (!["auto", "list"].includes(singleSelectLayout)) throw new Error("singleSelectLayout must be auto or list.");
  if (typeof overlayToggleKey !== "string") throw new Error("overlayToggleKey must be a shortcut such as alt+o, or off to disable it.");
  if (!Number.isInteger(timeout) || timeout < 0 || timeout > longestTimeout) {
    throw new Error("timeout must be an integer from 0 to 2147483647 milliseconds (0 disables it).");
  }
  return settings;
}

module.exports = { Alone };
