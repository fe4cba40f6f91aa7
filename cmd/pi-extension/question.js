"use strict";
// The tool ask_user_question: there only while a setting is on or the extension was installed with it.

const fs = require("node:fs");
const path = require("node:path");
const { kinds } = require("./branch.js");
const { readSwitch } = require("./modes.js");
const { OptionalTools } = require("./optional.js");
const { questionFault, questionsListed } = require("./questioncheck.js");
const { questionCall, questionResult } = require("./questionrows.js");
const { configureQuestions } = require("./questionsettings.js");
/** @type {any[]} */
const tools = require("./tools-question.json");

/** The name of the tool. */
const questionTool = "ask_user_question";

/** The setting that brings the tool, in the section `tools`. */
const setting = "askUserQuestion";

/** Put beside the extension by an installation that was asked for the tool. */
const installedWith = path.join(__dirname, "ask-user-question.json");

/** Where the skill lies that goes with the tool. */
const skills = path.join(__dirname, "skills");

const nobody = { answers: [], cancelled: true };

/**
 * @typedef {import("@earendil-works/pi-coding-agent").AgentToolResult<any>} Result
 */

class QuestionTool extends OptionalTools {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./connection.js").Connection} parts.connection
   * @param {import("./calls.js").Calls} parts.calls
   * @param {import("./modes.js").Modes} parts.modes
   */
  constructor({ pi, session, connection, calls, modes }) {
    const installed = fs.existsSync(installedWith);
    super({ pi, session, modes }, installed || readSwitch(setting, undefined, "tools") === true, {
      names: [questionTool],
      kind: kinds.questionTool,
      give: "Give the model the tool ask_user_question?",
      take: "Take the tool ask_user_question away?",
      register: (on) => this.register(on),
    });
    this.installed = installed;
    this.connection = connection;
    this.calls = calls;
    this.commanded = false;
    pi.on("resources_discover", () => (this.on ? { skillPaths: [skills] } : {}));
    this.begin();
  }

  /** @param {boolean} on */
  register(on) {
    for (const tool of tools) {
      this.pi.registerTool({
        ...tool,
        ...(on ? {} : { exposure: "hidden" }),
        execute: (/** @type {[string, any, AbortSignal | undefined, any, any]} */ ...[id, args, signal, update, context]) =>
          this.execute(id, args, signal, update, context),
        renderCall: questionCall,
        renderResult: questionResult,
      });
    }
    if (on) this.command();
  }

  /** The command stays once it is there: pi takes none back. */
  command() {
    if (this.commanded) return;
    this.commanded = true;
    this.pi.registerCommand("ask-user-question-settings", {
      description: "Configure the display, layout, shortcut and timeout of ask_user_question; saved globally",
      handler: (args, context) => configureQuestions(this.connection, args, context),
    });
  }

  /** What askd's settings say. @param {any} settings */
  take(settings) {
    if (typeof settings?.tools === "object") this.wanted = this.installed || settings.tools[setting] === true;
  }

  /**
   * @param {string} toolCallId
   * @param {any} args
   * @param {AbortSignal | undefined} signal
   * @param {((partial: Result) => void) | undefined} update
   * @param {import("@earendil-works/pi-coding-agent").ExtensionContext} context
   * @returns {Promise<Result>}
   */
  async execute(toolCallId, args, signal, update, context) {
    if (!signal?.aborted) return this.calls.execute(questionTool, toolCallId, args, signal, update, context);
    const fault = questionFault(args);
    if (fault) throw new Error(fault);
    return ended("Cancelled");
  }
}

/**
 * A call that ended without an answer.
 * @param {string} text
 * @returns {Result}
 */
function ended(text) {
  return { content: [{ type: "text", text }], details: { ...nobody } };
}

/** What a call says whose operation ended while it was open. */
const interrupted = () => ended("User cancelled the questions");

/** What a call draws once it waits for the person. @type {Result} */
const waiting = { content: [{ type: "text", text: "Waiting for user input..." }], details: { answers: [], cancelled: false } };

/**
 * Why a call cannot be put to anybody: what is wrong with its arguments, else the questions for the agent to ask itself.
 * @param {any} args
 */
function unasked(args) {
  return questionFault(args) ?? questionsListed(args);
}

module.exports = { QuestionTool, questionTool, interrupted, waiting, unasked };
