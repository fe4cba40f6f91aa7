"use strict";
// What is wrong with the arguments of ask_user_question, where askd is not asked: a call whose operation has ended before it
// began, or one that nobody can be asked. askd checks every other call by the same rules.

const settings = ["displayMode", "singleSelectLayout", "overlayToggleKey", "timeout"];
const entryFields = ["question", "header", "options", "multiSelect"];
const reserved = ["Other", "Type something.", "Next"];

/** @param {any} value */
function filled(value) {
  return typeof value === "string" ? value.trim() : "";
}

/** @param {any} object @param {string[]} names */
function present(object, names) {
  return names.filter((name) => typeof object === "object" && object !== null && Object.hasOwn(object, name)).join(", ");
}

/**
 * The first problem of the arguments.
 * @param {any} args
 * @returns {string | undefined}
 */
function questionFault(args) {
  const misplaced = present(args, settings);
  if (misplaced) return `${misplaced} are configuration settings, not ask_user_question parameters. Use /ask-user-question-settings to configure them.`;
  const fields = present(args, entryFields);
  if (fields) return `${fields} cannot be set at the top level. Set them on each questions entry instead, even when asking only one question.`;
  const questions = args?.questions;
  if (!Array.isArray(questions)) return "questions must be an array of 1-4 question objects.";
  if (questions.length === 0) return "questions needs 1-4 entries but got 0. To ask one question, use a questions array with one entry.";
  if (questions.length > 4) return `questions accepts at most 4 entries but got ${questions.length}. Ask the rest in a later ask_user_question call.`;
  return first(questions, (entry, i) => entryFault(entry, `questions[${i}]`, questions.slice(0, i)));
}

/**
 * @param {any[]} list
 * @param {(each: any, index: number) => string | undefined} fault
 */
function first(list, fault) {
  for (const [i, each] of list.entries()) {
    const found = fault(each, i);
    if (found) return found;
  }
  return undefined;
}

/**
 * @param {any} entry
 * @param {string} at
 * @param {any[]} earlier
 */
function entryFault(entry, at, earlier) {
  const question = filled(entry?.question);
  if (!question) return `${at}.question must be a non-empty string.`;
  if (earlier.some((other) => filled(other.question) === question)) return `${at} repeats the question "${question}". Each question in a batch must be distinct.`;
  if (!filled(entry.header)) return `${at}.header must be a non-empty string.`;
  const { options } = entry;
  if (!Array.isArray(options)) return `${at}.options must be an array of 2-4 options.`;
  if (options.length < 2 || options.length > 4) return `${at}.options needs 2-4 entries but got ${options.length}.`;
  return first(options, (option, j) => shapeFault(option, `${at}.options[${j}]`)) ??
    first(options, (option, j) => labelFault(filled(option.label), `${at}.options[${j}]`, options.slice(0, j)));
}

/** @param {any} option @param {string} at */
function shapeFault(option, at) {
  if (filled(option?.label) && typeof option.description === "string") return undefined;
  return `${at} must be an object like { "label": "Short label", "description": "Why a user would pick it" }. Call ask_user_question again with corrected options.`;
}

/** @param {string} label @param {string} at @param {any[]} earlier */
function labelFault(label, at, earlier) {
  if (earlier.some((other) => filled(other.label) === label)) return `${at} repeats the label "${label}". Labels must be distinct within a question.`;
  if (reserved.includes(label)) return `${at} uses the reserved label "${label}". The prompt shows that row itself; pick a different label.`;
  return undefined;
}

/**
 * Questions without a fault as their agent can put them to its user in words of its own.
 * @param {any} args
 */
function questionsListed({ questions }) {
  const blocks = questions.map((/** @type {any} */ { question, options, multiSelect }, /** @type {number} */ i) => [
    `${i + 1}. ${filled(question)}`,
    multiSelect === true ? "   Options (choose one or more):" : "   Options:",
    ...options.map((/** @type {any} */ { label, description }, /** @type {number} */ j) =>
      `   ${j + 1}. ${filled(label)}${description ? ` — ${description}` : ""}`),
    "   You can also answer freely.",
  ].join("\n"));
  return ["ask_user_question requires interactive mode. Please answer these questions:", ...blocks].join("\n\n");
}

module.exports = { questionFault, questionsListed };
