"use strict";
// Text on its way to pi's screen: made harmless, measured, cut to the width. pi ends when a line is too wide, so a
// character's width is never taken for less than pi takes it.

/** Made when first needed: making one takes longer than loading the rest of the extension. @type {Intl.Segmenter | undefined} */
let segmenter;

/**
 * What a person takes for the characters of a text.
 * @param {string} text
 * @returns {Iterable<{segment: string}>}
 */
function graphemes(text) {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Wide blocks: East Asian scripts, their punctuation and full-width forms, and everything above the basic plane. */
const wide = /[\u1100-\u115f\u231a-\u23ff\u25a0-\u27bf\u2b00-\u2bff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe10-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{10000}-\u{10ffff}]/u;
/** Marks that take no column of their own on top of another character. Those of other scripts may. */
const accents = /[\u0300-\u036f\u20d0-\u20ff\ufe0e\u200d]/;
const pictures = /\ufe0f|\u200d|\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

/** Marks that the extension itself draws and that are one column wide although their block holds wide ones. */
const narrow = new Set(["✓", "☐", "☒", "▸", "●", "─"]);

/**
 * The columns that a text takes at most.
 * @param {string} text
 */
function width(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes(text)) columns += graphemeWidth(segment);
  return columns;
}

/** @param {string} grapheme */
function graphemeWidth(grapheme) {
  if (grapheme.length === 1 && grapheme < "\u0300") return 1;
  if (narrow.has(grapheme)) return 1;
  let columns = 0;
  for (const character of grapheme) {
    if (columns > 0 && accents.test(character)) continue;
    columns += wide.test(character) || pictures.test(character) ? 2 : 1;
  }
  return columns;
}

/** Marks that pile up on one character; more than eight of them are no script's. */
const pile = /((?:[\p{M}\u200c\u200d]){8})[\p{M}\u200c\u200d]+/gu;

/**
 * Control and bidirectional characters must never reach the terminal as they came.
 * @param {string} text
 */
function clean(text) {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\t/g, "  ")
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, "\ufffd")
    .replace(/[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e001f}]/gu, "")
    .replace(pile, "$1");
}

/** What stands for the rest of a text that was cut. */
const ellipsis = "...";

/**
 * Cuts a text to a width of three columns or more, marking the cut.
 * @param {string} text
 * @param {number} columns
 */
function cut(text, columns) {
  if (width(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes(text)) {
    used += graphemeWidth(segment);
    if (used > columns - ellipsis.length) break;
    kept += segment;
  }
  return kept + ellipsis;
}

module.exports = { width, graphemeWidth, clean, cut, graphemes };
