"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { kinds } = require("../branch.js");
const { Modes } = require("../modes.js");
const { QuestionTool, questionTool, unasked } = require("../question.js");
const { questionFault } = require("../questioncheck.js");
const { questionCall, questionResult } = require("../questionrows.js");
const { configureQuestions } = require("../questionsettings.js");
const { FakePi, fakeConnection, fakeSession } = require("./fakes.js");

const vectors = JSON.parse(fs.readFileSync(path.join(__dirname, "../../../broker/ask/testdata/ask_user_question.json"), "utf8"));
const plain = { fg: (_style, text) => text, bold: (text) => text };
const draw = (row) => row.render(200).join("\n");

test("arguments have the faults of the checked values", () => {
  const rows = vectors.filter(({ kind, input }) => kind === "validate" && input.target === "params");
  assert.ok(rows.length > 10);
  for (const { name, input, expect } of rows) assert.equal(questionFault(input.value), expect.error, name);
  for (const args of [undefined, null, 3, []]) assert.equal(questionFault(args), "questions must be an array of 1-4 question objects.");
});

test("what nobody can be asked is listed for the agent", () => {
  const options = [{ label: " A ", description: "one" }, { label: "B", description: "" }];
  assert.equal(
    unasked({ questions: [{ question: " q ", header: "h", options }, { question: "r", header: "h", options, multiSelect: true }] }),
    "ask_user_question requires interactive mode. Please answer these questions:\n\n1. q\n   Options:\n   1. A — one\n   2. B\n   You can also answer freely." +
      "\n\n2. r\n   Options (choose one or more):\n   1. A — one\n   2. B\n   You can also answer freely.",
  );
  assert.equal(unasked({ questions: [] }), "questions needs 1-4 entries but got 0. To ask one question, use a questions array with one entry.");
});

test("rows are those of the checked values", () => {
  for (const { name, input, expect } of vectors.filter(({ input }) => input.target?.startsWith("render_"))) {
    const content = input.content === undefined ? [] : [{ type: "text", text: input.content }];
    const row = input.target === "render_call" ?
      questionCall(input.params, plain) :
      questionResult({ content, details: input.details }, { isPartial: input.partial }, plain, { isError: input.is_error });
    assert.equal(draw(row), expect.text, name);
  }
});

test("rows survive whatever is half there", () => {
  for (const args of [undefined, null, "half", {}, { questions: "half" }]) assert.equal(draw(questionCall(args, plain)), "ask_user_question 0 questions");
  assert.equal(
    draw(questionCall({ questions: [null, 7, { question: 3 }, { header: "H" }, { question: "Why\x1b[31m?", options: [{}], multiSelect: true }] }, plain)),
    "ask_user_question 5 questions\n  1. \n  2. \n  3. \n  4. [H] \n  5. Why\ufffd[31m? (1 option(s), multi-select)",
  );
  const result = (result, options, context) => draw(questionResult(result, options, plain, context));
  assert.equal(result(undefined), "Cancelled");
  assert.equal(result({ content: [], details: {} }), "Cancelled");
  assert.equal(result({ content: [] }, { isPartial: true }), "Waiting for user input...");
  assert.equal(result({ content: [{ type: "text", text: "askd is not running" }], details: { answers: [] } }, { isPartial: true }), "askd is not running");
  assert.equal(result({ content: [], details: {} }, {}, { isError: true }), "✗ ask_user_question failed");
  assert.equal(result({ content: [], details: { error: "broke" } }), "✗ broke");
  assert.equal(result({ details: { answers: [null, { question: "q", kind: "multi", answer: null }] } }), "✓ 2 answered\n1.  → \n2. q → ");
});

/** The tool in a pi whose settings file says what is given. */
function rig(t, settings = {}) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "askd"));
  const before = process.env.PI_CODING_AGENT_DIR;
  process.env.PI_CODING_AGENT_DIR = dir;
  t.after(() => {
    process.env.PI_CODING_AGENT_DIR = before;
    fs.rmSync(dir, { recursive: true });
  });
  fs.mkdirSync(path.join(dir, "extensions"));
  fs.writeFileSync(path.join(dir, "extensions", "pi-agent-ask.json"), JSON.stringify(settings));
  const tools = new Map();
  const commands = [];
  const handlers = {};
  const pi = Object.assign(new FakePi(), {
    active: ["bash"], getActiveTools() { return this.active; }, setActiveTools(active) { this.active = active; },
    registerTool: (tool) => tools.set(tool.name, tool), registerCommand: (name) => commands.push(name), on: (event, handler) => { handlers[event] = handler; },
  });
  const session = fakeSession(pi);
  const connection = fakeConnection();
  const ran = [];
  const calls = { execute: (...args) => (ran.push(args), Promise.resolve("ran")) };
  const modes = new Modes({ pi, session, connection, register: () => {} });
  const question = new QuestionTool({ pi, session, connection, calls, modes });
  return { dir, pi, modes, tools, commands, question, ran, discover: () => handlers.resources_discover() };
}

test("without the setting there is no tool, no command and no skill", (t) => {
  const { question, tools, commands, discover, pi } = rig(t);
  question.enter();
  assert.deepEqual([tools.size, commands, discover(), pi.entries], [0, [], {}, []]);
});

test("with the setting there are the tool, its command and its skill", (t) => {
  const { question, tools, commands, discover, pi } = rig(t, { tools: { askUserQuestion: true } });
  const tool = tools.get(questionTool);
  assert.deepEqual([tool.exposure, tool.executionMode, tool.promptGuidelines.length], ["model-only", "sequential", 4]);
  assert.deepEqual(commands, ["ask-user-question-settings"]);
  const [skills] = discover().skillPaths;
  assert.match(fs.readFileSync(path.join(skills, "ask-before-acting", "SKILL.md"), "utf8"), /^---\nname: ask-before-acting\n/);
  question.enter();
  assert.deepEqual([pi.active, pi.entries.at(-1).customType], [["bash", questionTool], kinds.questionTool]);
});

test("the setting brings the tool and takes it away, the command is registered once", async (t) => {
  const { question, tools, commands, discover } = rig(t);
  for (const on of [true, false, true]) {
    question.take({ tools: { askUserQuestion: on } });
    await question.settle();
    assert.equal(tools.get(questionTool).exposure, on ? "model-only" : "hidden");
    assert.equal(discover().skillPaths !== undefined, on);
  }
  assert.deepEqual(commands, ["ask-user-question-settings"]);
  question.take({});
  assert.equal(question.wanted, true, "settings without the section say nothing");
});

test("a call whose operation has ended is checked and not put to anybody", async (t) => {
  const { tools, ran } = rig(t, { tools: { askUserQuestion: true } });
  const { execute } = tools.get(questionTool);
  const aborted = AbortSignal.abort();
  await assert.rejects(execute("t", { questions: [] }, aborted), /questions needs 1-4 entries but got 0/);
  const { input, expect } = vectors.find(({ name }) => name === "already-aborted-invalid-call-still-throws");
  await assert.rejects(execute("t", input.params, aborted), { message: expect.error });
  const good = vectors.find(({ name }) => name === "single-esc-cancels").input.params;
  assert.deepEqual(await execute("t", good, aborted), { content: [{ type: "text", text: "Cancelled" }], details: { answers: [], cancelled: true } });
  assert.equal(ran.length, 0);
  assert.equal(await execute("t", good, undefined), "ran");
});

/** A person at the menu, who gives the answers one after the other. */
function person(...answers) {
  const seen = [];
  const asked = (kind) => (...args) => (seen.push([kind, ...args]), Promise.resolve(answers.shift()));
  const context = { hasUI: true, ui: { select: asked("select"), input: asked("input"), notify: (text, level) => seen.push([level, text]) } };
  return { context, seen };
}

/** An askd that has these settings and saves whatever it is given but "bad". */
function settings(state = {}) {
  const effective = { displayMode: "inline", singleSelectLayout: "auto", overlayToggleKey: "off", timeout: 0 };
  const said = [];
  return {
    said, reach: () => Promise.resolve(true),
    request(method, params) {
      said.push([method, params]);
      if (method === "settings.get") return Promise.resolve({ settings: { timeout: 0 }, effective, path: "/f", notices: [], ...state });
      const saved = params.value !== "bad";
      return Promise.resolve({ saved, path: "/f", message: saved ? undefined : "Cannot update" });
    },
  };
}

test("the settings are changed in one line", async () => {
  for (const [args, want, said] of [
    ["displayMode  Overlay ", ["info", "ask_user_question displayMode: Overlay — saved to /f"], ["settings.set", { file: "question", key: "displayMode", value: "Overlay" }]],
    ["timeout bad", ["error", "Cannot update"], ["settings.set", { file: "question", key: "timeout", value: "bad" }]],
    ...["displayMode", "displaymode inline", "a b c", "toString x"].map((bad) =>
      [bad, ["warning", "Usage: /ask-user-question-settings <displayMode|singleSelectLayout|overlayToggleKey|timeout> <value|default>"]]),
  ]) {
    const { context, seen } = person();
    const connection = settings();
    await configureQuestions(connection, args, context);
    assert.deepEqual([seen, connection.said], [[want], said ? [said] : []], args);
  }
});

test("without dialogs the menu says how else", async () => {
  const { context, seen } = person();
  context.hasUI = false;
  await configureQuestions(settings(), " ", context);
  assert.deepEqual(seen, [["warning", "Use /ask-user-question-settings <setting> <value|default> when interactive dialogs are unavailable."]]);
});

test("the menu goes on until the person is done", async () => {
  const rows = ["displayMode: inline (environment/default)", "singleSelectLayout: auto (environment/default)", "overlayToggleKey: off (environment/default)", "timeout: 0 (saved)"];
  const { context, seen } = person(rows[0], "overlay", rows[3], " bad", rows[2], undefined, rows[1], undefined, rows[2], " alt+h ", "Done");
  await configureQuestions(settings(), "", context);
  const menu = ["select", "ask_user_question settings — saved globally", [...rows, "Done"]];
  const hint = (value) => `Current: ${value}. Enter a value or default to restore fallback.`;
  const key = ["input", "Configure overlayToggleKey (off = disabled)", hint("off")];
  assert.deepEqual(seen, [
    menu, ["select", "Configure displayMode (default restores environment/built-in fallback)", ["inline", "overlay", "default"]],
    ["info", "ask_user_question displayMode: overlay — saved to /f"],
    menu, ["input", "Configure timeout in milliseconds (0 = no timeout)", hint("0")], ["error", "Cannot update"],
    menu, key,
    menu, ["select", "Configure singleSelectLayout (default restores environment/built-in fallback)", ["auto", "list", "default"]],
    menu, key, ["info", "ask_user_question overlayToggleKey: alt+h — saved to /f"],
    menu,
  ]);
});

test("a file that cannot be used, and an askd that is not there, end the menu with an error", async () => {
  const broken = person();
  await configureQuestions(settings({ message: "Cannot update: bad file" }), "", broken.context);
  assert.deepEqual(broken.seen, [["error", "Cannot update: bad file"]]);
  for (const args of ["", "timeout 5"]) {
    const away = person();
    await configureQuestions({ reach: () => Promise.resolve(false) }, args, away.context);
    assert.equal(away.seen.length, 1);
    assert.match(away.seen[0].join(), /^error,Cannot update ask_user_question settings \(.*ask-user-settings\.json\): Error: askd is not running\. Start it/);
  }
});
