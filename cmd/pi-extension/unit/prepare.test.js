"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { prepare } = require("../prepare.js");
const cases = require("./labels.json");

const ask = prepare.ask_user;

for (const { name, payload, labels } of cases) {
  test(`labels: ${name}`, () => {
    const before = structuredClone(payload);
    const options = ask(payload).questions[0].options;
    assert.deepEqual(options.map((option) => option.label ?? null), labels);
    assert.deepEqual(payload, before, "the arguments were changed in place");
  });
}

test("what is no form stays as it is", () => {
  for (const args of [undefined, null, 7, "x", [], {}, { questions: "none" }, { questions: {} }]) {
    assert.equal(ask(args), args);
  }
  const odd = { questions: [null, 3, { options: "none" }, { options: [null, "a", ["b"]] }], more: 1 };
  assert.deepEqual(ask(odd), odd);
});

test("a preview question becomes a single one and keeps its previews for askd", () => {
  const options = [{ value: "a", label: "A", preview: "one" }, { value: "b", previewFile: "/tmp/b.txt" }];
  const { questions } = ask({ title: "t", questions: [{ id: "q", prompt: "?", type: "preview", options }] });
  assert.deepEqual(questions, [{
    id: "q", prompt: "?", type: "single",
    options: [options[0], { value: "b", previewFile: "/tmp/b.txt", label: "B" }],
  }]);
});

test("the order of fields is kept", () => {
  const { questions } = ask({ questions: [{ prompt: "?", options: [{ label: "", value: "x" }], id: "q" }] });
  assert.deepEqual(Object.keys(questions[0]), ["prompt", "options", "id"]);
  assert.deepEqual(Object.keys(questions[0].options[0]), ["label", "value"]);
});
