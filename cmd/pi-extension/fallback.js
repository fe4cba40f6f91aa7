"use strict";
// What a call in a mode without a terminal returns when askd cannot be reached (contract, "Non-TUI modes").

/**
 * @param {string} tool
 * @param {string} requestId
 * @param {any} args
 */
function needsUserInput(tool, requestId, args) {
  const questions = (Array.isArray(args?.questions) ? args.questions : []).map(question);
  const text = [
    `${tool} [${requestId}]`,
    `Needs user input: ${tool} requires interactive TUI mode.`,
    "Run same tool call in interactive TUI mode, or ask user these questions manually:",
    ...questions.flatMap(asText),
    "details.questions contains normalized pending questions. details.answers stays empty until user responds.",
  ].join("\n");
  const title = trimmed(args?.title) || undefined;
  return {
    content: [{ type: /** @type {const} */ ("text"), text }],
    details: {
      title,
      cancelled: true,
      questions: questions.map((/** @type {ReturnType<typeof question>} */ { options, ...rest }) => rest),
      answers: {},
      requestId,
      provenance: { outcome: "no_ui" },
    },
    structuredContent: { requestId, cancelled: true, answers: {} },
  };
}

/** @param {unknown} value */
function trimmed(value) {
  return typeof value === "string" ? value.trim() : "";
}

/**
 * @param {any} raw
 * @param {number} index
 */
function question(raw, index) {
  return {
    id: trimmed(raw?.id),
    label: trimmed(raw?.label) || `Q${index + 1}`,
    prompt: trimmed(raw?.prompt),
    type: raw?.type === "multi" ? "multi" : "single",
    options: /** @type {any[]} */ (Array.isArray(raw?.options) ? raw.options : []),
  };
}

/**
 * @param {ReturnType<typeof question>} q
 * @param {number} index
 */
function asText(q, index) {
  return [
    `${index + 1}. ${q.label}: ${q.prompt}`,
    ...q.options.map((option) => `   - ${trimmed(option?.label)} [${trimmed(option?.value)}]`),
    "   - Type your own [custom]",
  ];
}

module.exports = { needsUserInput };
