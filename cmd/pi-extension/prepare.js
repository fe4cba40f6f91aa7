"use strict";
// pi checks arguments against the schema before a call, so what older agents send is brought into the schema's shape
// first (contract, "Input rules"). askd does the same for its other clients. The arguments are never changed in place:
// pi stores them as they came.

/**
 * @param {any} args
 * @returns {any}
 */
function prepareAskUser(args) {
  if (!isObject(args) || !Array.isArray(args.questions)) return args;
  return { ...args, questions: args.questions.map(prepareQuestion) };
}

/** @param {any} question */
function prepareQuestion(question) {
  if (!isObject(question)) return question;
  const prepared = { ...question };
  // The previews themselves stay where they are, which the schema allows: askd alone reads files and knows a preview
  // that looks like a path from one that is a path.
  if (question.type === "preview") prepared.type = "single";
  if (Array.isArray(question.options)) prepared.options = question.options.map(deriveLabel);
  return prepared;
}

/**
 * Derives a missing or blank label from the value: `blue-green_rollout` becomes `Blue green rollout`.
 * @param {any} option
 */
function deriveLabel(option) {
  if (!isObject(option) || typeof option.value !== "string") return option;
  if (option.label !== undefined && !isBlank(option.label)) return option;
  const words = option.value.replace(/[_-]+/g, " ").replace(/\s+/g, " ").trim();
  if (words === "") return option;
  return { ...option, label: words.charAt(0).toUpperCase() + words.slice(1) };
}

/** @param {any} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {any} value */
function isBlank(value) {
  return typeof value === "string" && value.trim() === "";
}

/** What each tool's raw arguments go through. @type {Record<string, (args: any) => any>} */
const prepare = { ask_user: prepareAskUser };

module.exports = { prepare };
