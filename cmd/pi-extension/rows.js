"use strict";
// The rows of a call in pi: the call itself from its arguments, the result from the lines that askd sent with it. Both
// draw from what the session file holds, so that they look the same with askd away.

const { width, graphemeWidth, clean, cut, graphemes } = require("./text.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").Theme} Theme
 * @typedef {{style: string, text: string}} Span
 * @typedef {{spans: Span[]}} Line
 * @typedef {{render(width: number): string[], invalidate(): void}} Component
 */

/** How much of the questions' labels is drawn in the row of a call. */
const labelColumns = 50;

/** How each style of a span is drawn; another is drawn as plain text. @type {Record<string, (theme: Theme, text: string) => string>} */
const styles = {
  text: (theme, text) => theme.fg("text", text),
  muted: (theme, text) => theme.fg("muted", text),
  dim: (theme, text) => theme.fg("dim", text),
  accent: (theme, text) => theme.fg("accent", text),
  success: (theme, text) => theme.fg("success", text),
  warning: (theme, text) => theme.fg("warning", text),
  error: (theme, text) => theme.fg("error", text),
  bold: (theme, text) => theme.bold(text),
};

/**
 * @param {Line[]} lines
 * @param {Theme} theme
 * @returns {Component}
 */
function component(lines, theme) {
  return {
    render(columns) {
      return lines.flatMap((line) => wrap(line.spans, Math.max(1, columns))).map((row) => paint(row, theme));
    },
    invalidate() {},
  };
}

/**
 * @param {Span[]} row
 * @param {Theme} theme
 */
function paint(row, theme) {
  return row.map(({ style, text }) => (Object.hasOwn(styles, style) ? styles[style] : styles.text)(theme, text)).join("");
}

/**
 * A card: the lines between two rules over the whole width.
 * @param {Line[]} lines
 * @param {Theme} theme
 * @returns {Component}
 */
function card(lines, theme) {
  const body = component(lines, theme);
  return {
    render(columns) {
      const rule = styles.accent(theme, "─".repeat(Math.max(1, columns)));
      return [rule, ...body.render(columns), rule];
    },
    invalidate() {},
  };
}

/**
 * Components one below the other.
 * @param {Component[]} parts
 * @returns {Component}
 */
function stack(parts) {
  return {
    render: (columns) => parts.flatMap((part) => part.render(columns)),
    invalidate: () => parts.forEach((part) => part.invalidate?.()),
  };
}

/**
 * Breaks a line into rows: at line feeds, between words where that fits, else anywhere.
 * @param {Span[]} spans
 * @param {number} columns
 * @returns {Span[][]}
 */
function wrap(spans, columns) {
  /** @type {Span[][]} */
  const rows = [[]];
  let used = 0;
  const feed = () => {
    rows.push([]);
    used = 0;
  };
  /** @param {string} style @param {string} text @param {number} wide */
  const put = (style, text, wide) => {
    rows[rows.length - 1].push({ style, text });
    used += wide;
  };
  for (const { style, text } of spans) {
    for (const piece of clean(text).split(/(\n| +)/)) {
      if (piece === "") continue;
      if (piece === "\n") feed();
      else place(piece, style);
    }
  }
  /** @param {string} piece @param {string} style */
  function place(piece, style) {
    const wide = width(piece);
    if (used + wide <= columns) return put(style, piece, wide);
    if (piece.startsWith(" ") && used > 0) return feed();
    if (used > 0 && wide <= columns) feed();
    for (const { segment } of wide <= columns ? [{ segment: piece }] : graphemes(piece)) {
      const step = wide <= columns ? wide : graphemeWidth(segment);
      if (step > columns) continue;
      if (used + step > columns) feed();
      put(style, segment, step);
    }
  }
  return rows;
}

/**
 * The row of a call. Its arguments may be half-streamed or malformed.
 * @param {string} tool
 * @param {any} args
 * @param {Theme} theme
 * @returns {Component}
 */
function renderCall(tool, args, theme) {
  /** @type {Span[]} */
  const spans = [{ style: "bold", text: tool }];
  const questions = Array.isArray(args?.questions) ? args.questions : undefined;
  if (questions) {
    spans.push({ style: "muted", text: ` ${questions.length} question(s)` });
    const labels = questions.map(labelOf).join(", ");
    if (labels) spans.push({ style: "dim", text: ` (${cut(labels, labelColumns)})` });
  }
  return component([{ spans }], theme);
}

/**
 * @param {any} question
 * @param {number} index
 */
function labelOf(question, index) {
  const label = typeof question?.label === "string" ? question.label.trim() : "";
  return clean(label).replace(/\s+/g, " ") || `Q${index + 1}`;
}

/**
 * The row of a result. One without lines never got to askd: its text says why. The receipt of queued questions gives way
 * to the card of their answers.
 * @param {{content?: any[], details?: any}} result
 * @param {Theme} theme
 * @param {{isError?: boolean, invalidate?: () => void} | undefined} context
 * @param {import("./cards.js").Cards} [cards]
 * @returns {Component}
 */
function renderResult(result, theme, context, cards) {
  const { status, requestId } = result.details ?? {};
  const late = status === "queued" ? cards?.of(requestId, context?.invalidate) : undefined;
  if (late) return card(late, theme);
  const lines = result.details?.transcript;
  if (Array.isArray(lines)) return component(lines.filter((line) => Array.isArray(line?.spans)), theme);
  const text = result.content?.find((block) => block?.type === "text")?.text ?? "";
  return component([{ spans: [{ style: context?.isError ? "error" : "text", text: String(text) }] }], theme);
}

/**
 * Draws the cards of what a call of another tool asked below that call's own result. The other tool draws into the component
 * that it gave the last time, and is given that one, without the cards.
 * @param {any} own the renderers of the other tool
 * @param {import("./cards.js").Cards} cards
 */
function withCards(own, cards) {
  /** What the other tool drew, by what was made of it. @type {WeakMap<Component, Component>} */
  const outers = new WeakMap();
  return {
    ...own,
    /** @param {any} result @param {any} options @param {Theme} theme @param {any} context */
    renderResult(result, options, theme, context) {
      const inner = cards.within(context.toolCallId, context.invalidate).map((lines) => card(lines, theme));
      const lastComponent = outers.get(context.lastComponent) ?? context.lastComponent;
      const outer = own.renderResult(result, options, theme, { ...context, lastComponent });
      if (inner.length === 0) return outer;
      const whole = stack([outer, ...inner]);
      outers.set(whole, outer);
      return whole;
    },
  };
}

module.exports = { component, renderCall, renderResult, withCards, wrap };
