"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { Cards } = require("../cards.js");
const { kinds } = require("../branch.js");
const { renderResult, withCards } = require("../rows.js");

const plain = { fg: (_style, text) => text, bold: (text) => text };
const lines = (text) => [{ spans: [{ style: "success", text }] }];
const custom = (customType, data) => ({ type: "custom", customType, data });
const receipt = { content: [], details: { status: "queued", requestId: "r1", transcript: lines("queued") } };

test("the receipt gives way to the card, and back on another branch", () => {
  const cards = new Cards();
  let drawn = 0;
  const row = () => renderResult(receipt, plain, { invalidate: () => drawn++ }, cards).render(6);
  assert.deepEqual(row(), ["queued"]);
  cards.add("r1", lines("done"));
  assert.equal(drawn, 1);
  assert.deepEqual(row(), ["──────", "done", "──────"]);
  cards.load([]);
  assert.equal(drawn, 2);
  assert.deepEqual(row(), ["queued"]);
  cards.load([custom(kinds.completed, { requestId: "r1", outcomeId: "o1", transcript: lines("kept") })]);
  assert.deepEqual(row(), ["──────", "kept", "──────"]);
});

test("a result of a foreground call stays as it is", () => {
  const cards = new Cards();
  cards.add("r1", lines("late"));
  const result = { content: [], details: { requestId: "r1", transcript: lines("own") } };
  assert.deepEqual(renderResult(result, plain, undefined, cards).render(20), ["own"]);
});

test("cards of nested calls stand below the outer row", () => {
  const cards = new Cards();
  let drawn = 0;
  const own = { renderCall: () => "call", renderResult: () => ({ render: () => ["outer"], invalidate() {} }) };
  const outer = withCards(own, cards);
  assert.equal(outer.renderCall(), "call");
  const row = () => outer.renderResult({}, {}, plain, { toolCallId: "t1", invalidate: () => drawn++ }).render(3);
  cards.nest("r1", "t1");
  cards.nest("r2", undefined);
  assert.deepEqual(row(), ["outer"]);
  cards.add("r1", lines("in"));
  assert.equal(drawn, 1);
  assert.deepEqual(row(), ["outer", "───", "in", "───"]);
  cards.load([custom(kinds.request, { requestId: "r1", parentToolCallId: "t1" }), custom(kinds.completed, { requestId: "r1", transcript: lines("in") })]);
  assert.deepEqual(row(), ["outer", "───", "in", "───"]);
});

test("the outer tool goes on with the component that it made itself, however often the row is drawn", () => {
  const cards = new Cards();
  cards.nest("r1", "t1");
  cards.add("r1", lines("in"));
  let made = 0;
  const own = {
    renderResult: (_result, _options, _theme, { lastComponent }) => {
      if (!lastComponent) made++;
      const component = lastComponent ?? { clear() {}, render: () => ["outer"], invalidate() {} };
      component.clear();
      return component;
    },
  };
  const outer = withCards(own, cards);
  let last;
  for (let times = 0; times < 3; times++) {
    last = outer.renderResult({}, {}, plain, { toolCallId: "t1", lastComponent: last });
    assert.deepEqual(last.render(3), ["outer", "───", "in", "───"]);
  }
  assert.equal(made, 1);
});

test("a row that is gone and lines that are none do no harm", () => {
  const cards = new Cards();
  cards.of("r1", () => { throw new Error("stale"); });
  cards.add("r1", "no lines");
  cards.add("r1", [null, { spans: 3 }, ...lines("ok")]);
  assert.deepEqual(cards.of("r1", undefined), lines("ok"));
});
