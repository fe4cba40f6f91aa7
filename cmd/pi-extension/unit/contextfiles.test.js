"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { execFileSync } = require("node:child_process");
const { gather } = require("../contextfiles.js");

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "contexts-"));
test.after(() => fs.rmSync(dir, { recursive: true }));

/** Makes a file and gives its path. */
function file(name, content) {
  const at = path.join(dir, name);
  fs.writeFileSync(at, content);
  return at;
}

/** A call whose questions have these contexts. */
const call = (...contexts) => ({ questions: contexts.map((context) => ({ context })) });

test("the files that contexts and previews name are sent, each once, and nothing else", () => {
  const plan = file("plan.md", "# Plan\n");
  const spaced = file("my plan", "spaced");
  const args = call(` ${plan}\n`, plan, spaced, "/v1/users returns 404", "text", `${plan}\nand more`, 7, undefined);
  args.questions.push({ options: [{ previewFile: spaced }, { previewFile: "plan.md" }, { preview: plan }, null] });
  const sent = gather("ask_user", args);
  assert.deepEqual(sent.map(({ path, data }) => [path, Buffer.from(data, "base64").toString()]), [[plan, "# Plan\n"], [spaced, "spaced"]]);
  assert.deepEqual([gather("ask_user_question", args), gather("ask_user", undefined), gather("ask_user", { questions: {} })], [[], [], []]);
});

test("what cannot be read is named with the reason", () => {
  const fifo = path.join(dir, "fifo");
  execFileSync("mkfifo", [fifo]);
  const faults = Object.fromEntries(
    gather("ask_user", call("/no/such-file", dir, fifo, file("large", Buffer.alloc((1 << 20) + 1)), "/a\u0000b")).map(({ path, fault }) => [path, fault]),
  );
  assert.deepEqual(faults, { "/no/such-file": "missing", [dir]: "irregular", [fifo]: "irregular", [path.join(dir, "large")]: "large", "/a\u0000b": "missing" });
});

test("together they stay below what a message can carry", () => {
  const files = [1, 2, 3, 4, 5, 6].map((n) => file(`mega${n}`, Buffer.alloc(1 << 20, "x")));
  const sent = gather("ask_user", call(...files));
  assert.deepEqual(sent.map(({ fault }) => fault), [undefined, undefined, undefined, undefined, "many", "many"]);
});
