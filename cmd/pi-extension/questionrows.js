"use strict";
// The rows of ask_user_question in pi. Both are drawn from what the session file holds; arguments may be half-streamed.

const { component } = require("./rows.js");
const { clean } = require("./text.js");

/**
 * @typedef {import("./rows.js").Span} Span
 * @typedef {import("@earendil-works/pi-coding-agent").Theme} Theme
 */

/** @param {any} value */
function text(value) {
  return typeof value === "string" ? clean(value.trim()).replace(/\s+/g, " ") : "";
}

/**
 * @param {any} args
 * @param {Theme} theme
 */
function questionCall(args, theme) {
  const questions = Array.isArray(args?.questions) ? args.questions : [];
  const head = { spans: [{ style: "bold", text: "ask_user_question " }, { style: "muted", text: `${questions.length} questions` }] };
  return component([head, ...questions.map(entryLine)], theme);
}

/** @param {any} entry @param {number} i */
function entryLine(entry, i) {
  const header = text(entry?.header);
  const notes = [];
  if (Array.isArray(entry?.options) && entry.options.length > 0) notes.push(`${entry.options.length} option(s)`);
  if (entry?.multiSelect === true) notes.push("multi-select");
  /** @type {Span[]} */
  const spans = [{ style: "muted", text: `  ${i + 1}. ` }];
  if (header) spans.push({ style: "accent", text: `[${header}] ` });
  spans.push({ style: "text", text: text(entry?.question) });
  if (notes.length > 0) spans.push({ style: "dim", text: ` (${notes.join(", ")})` });
  return { spans };
}

/**
 * @param {any} result
 * @param {{isPartial?: boolean} | undefined} options
 * @param {Theme} theme
 * @param {{isError?: boolean} | undefined} context
 */
function questionResult(result, options, theme, context) {
  const said = String(result?.content?.find?.((/** @type {any} */ block) => block?.type === "text")?.text ?? "");
  const details = result?.details;
  /** @param {string} style @param {string} text */
  const line = (style, text) => component([{ spans: [{ style, text }] }], theme);
  if (options?.isPartial) return line("muted", said || "Waiting for user input...");
  const failure = typeof details?.error === "string" ? details.error : "";
  if (failure || context?.isError) return line("error", `✗ ${failure || said || "ask_user_question failed"}`);
  if (!Array.isArray(details?.answers) || details.cancelled === true) return line("warning", "Cancelled");
  const head = { spans: [{ style: "success", text: `✓ ${details.answers.length} answered` }] };
  return component([head, ...details.answers.map(answerLine)], theme);
}

/** @param {any} answer @param {number} i */
function answerLine(answer, i) {
  const summary = Array.isArray(answer?.selected) ? answer.selected.map(String).join(", ") : String(answer?.answer ?? "");
  return {
    spans: [
      { style: "muted", text: `${i + 1}. ` },
      { style: "accent", text: text(answer?.question) },
      { style: "muted", text: answer?.kind === "custom" ? " → (wrote) " : " → " },
      { style: "text", text: summary },
    ],
  };
}

module.exports = { questionCall, questionResult };
