"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { renderCall, renderResult } = require("../rows.js");
const { clean, width, cut } = require("../text.js");
const hostile = require("../../../broker/ask/testdata/hostile.json");

/** A theme that shows which style was used. */
const theme = { fg: (style, text) => `<${style}>${text}`, bold: (text) => `<bold>${text}` };
const plain = { fg: (_style, text) => text, bold: (text) => text };

const form = (...labels) => ({ questions: labels.map((label) => ({ id: "x", label, prompt: "?", options: [] })) });

test("the row of a call names the tool, counts the questions and lists their labels", () => {
  const row = (args) => renderCall("ask_user", args, plain).render(200).join("\n");
  assert.equal(row(form("Goal", "Tone")), "ask_user 2 question(s) (Goal, Tone)");
  assert.equal(row(form("Goal", " ", undefined)), "ask_user 3 question(s) (Goal, Q2, Q3)");
  assert.equal(row({ questions: [] }), "ask_user 0 question(s)");
  assert.equal(row(form("x".repeat(60))), `ask_user 1 question(s) (${"x".repeat(47)}...)`);
  for (const args of [undefined, null, {}, "half", { questions: "half" }]) assert.equal(row(args), "ask_user");
  assert.equal(row({ questions: [null, { label: 3 }] }), "ask_user 2 question(s) (Q1, Q2)");
  assert.equal(
    renderCall("ask_user", form("Goal"), theme).render(200)[0].replace(/(<\w+>[^<]*?)(?=<\1)/g, ""),
    "<bold>ask_user<muted> <muted>1<muted> <muted>question(s)<dim> <dim>(Goal)",
  );
});

test("nothing in a row reaches the terminal raw", () => {
  const row = renderCall("ask_user", form("a\x1b[31mb\x07\u202ec\nd"), plain).render(200).join("\n");
  assert.doesNotMatch(row, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  assert.match(clean("\x1b[31m"), /^\ufffd\[31m$/);
});

test("no hostile text comes out raw in any field of a row or card", () => {
  const raw = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e001f}]|\p{M}{21}/u;
  for (const { name, text } of hostile) {
    const lines = [{ spans: [{ style: text, text }, { style: "text", text }] }];
    const cards = { of: () => lines };
    for (const row of [
      renderCall("ask_user", form(text, text), plain),
      renderResult({ content: [{ type: "text", text }], details: {} }, plain, { isError: true }),
      renderResult({ content: [], details: { transcript: lines } }, plain),
      renderResult({ content: [], details: { status: "queued", requestId: text } }, plain, {}, cards),
    ]) {
      for (const columns of [1, 40, 200]) assert.doesNotMatch(row.render(columns).join(""), raw, name);
    }
  }
});

test("a result draws its lines, or its text when it never got to askd", () => {
  const transcript = [{ spans: [{ style: "success", text: "✓ " }, { style: "text", text: "DB: Postgres" }] }, { spans: [] }];
  const draw = (result, failed) => renderResult(result, plain, failed).render(40);
  assert.deepEqual(draw({ content: [], details: { transcript } }), ["✓ DB: Postgres", ""]);
  assert.deepEqual(draw({ content: [{ type: "text", text: "no\nway" }], details: {} }), ["no", "way"]);
  assert.deepEqual(draw({ content: [{ type: "image" }] }), [""]);
  assert.deepEqual(draw({}), [""]);
  assert.deepEqual(draw({ details: { transcript: [null, 7, {}] } }), []);
});

test("rows break between words and never grow too wide", () => {
  const draw = (text, columns) => renderResult({ content: [{ type: "text", text }] }, plain, false).render(columns);
  assert.deepEqual(draw("one two three", 7), ["one two", "three"]);
  assert.deepEqual(draw("abcdefgh", 3), ["abc", "def", "gh"]);
  assert.deepEqual(draw("  note: x", 20), ["  note: x"]);
  assert.deepEqual(draw("日本語", 4), ["日本", "語"]);
  assert.deepEqual(draw("日", 1), [""]);
  for (let columns = 1; columns < 30; columns++) {
    for (const row of draw("a 👩‍👩‍👧 family of é̂ and 日本語テキスト, https://example.org/a/long/path ✅ done", columns)) {
      assert.ok(width(row) <= columns, `${JSON.stringify(row)} is wider than ${columns}`);
    }
  }
});

test("a cut text fits", () => {
  for (const text of ["plain text", "日本語テキスト", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧"]) {
    for (let columns = 3; columns < 12; columns++) assert.ok(width(cut(text, columns)) <= columns);
  }
});

test("no character is taken for narrower than pi takes it", async () => {
  const modules = process.env.PI_MODULES;
  assert.ok(modules, "PI_MODULES names the folder in which pi is installed");
  const tui = await import(pathToFileURL(path.join(modules, "@earendil-works/pi-tui/dist/index.js")).href);
  const narrower = [];
  for (let code = 0x20; code <= 0x10ffff; code += code < 0x10000 ? 1 : 61) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = clean(String.fromCodePoint(code));
    if (width(character) < tui.visibleWidth(character)) narrower.push(code.toString(16));
  }
  for (const text of ["1️⃣", "🇩🇪", "👩‍👩‍👧", "❤️", "e\u0301", "✓", "☐", "☒", "→", "─", "…", "한글", "क्षि", "กำ", "ำ"]) {
    if (width(text) < tui.visibleWidth(text)) narrower.push(text);
  }
  assert.deepEqual(narrower, []);
});
