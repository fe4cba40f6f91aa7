"use strict";
// The person's commands and key in pi.

const { guard } = require("./guard.js");
const { LostError } = require("./connection.js");
const { writeMode } = require("./modes.js");
const { clean } = require("./text.js");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context
 * @typedef {object} Parts
 * @property {import("./session.js").Session} session
 * @property {import("./connection.js").Connection} connection
 * @property {import("./panel.js").Panel} panel
 * @property {import("./modes.js").Modes} modes
 */

const notRunning = "askd is not running. Start it by running `askd` in another pane.";

/** What each command does, without its slash. @type {Record<string, {description: string, run: (parts: Parts, args: string, context: Context) => Promise<void>}>} */
const commands = {
  "ask-defer": {
    description: "Put the pending questions aside",
    run: async (parts, _args, context) => {
      await ask(parts.connection, "queue.defer", { session: parts.session.id });
      sayIfNone(parts, context);
    },
  },
  "ask-queue": {
    description: "Show the pending questions in askd again",
    run: async (parts, _args, context) => {
      await show(parts);
      sayIfNone(parts, context);
    },
  },
  "ask-settings": {
    description: "Open the settings of the question tools in askd",
    run: async ({ connection }) => { await ask(connection, "pane.open", { view: "settings" }); },
  },
  "ask-mode": {
    description: "Show or change the question mode: normal, background or inherit, with --project for this project",
    run: changeMode,
  },
};

/**
 * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} pi
 * @param {Parts} parts
 */
function registerCommands(pi, parts) {
  for (const [name, { description, run }] of Object.entries(commands)) {
    pi.registerCommand(name, {
      description,
      handler: async (args, context) => {
        if (parts.session.ui !== "tui") return context.ui.notify(`/${name} requires interactive TUI mode.`, "error");
        await told(context, () => run(parts, args, context));
      },
    });
  }
  pi.registerShortcut("alt+q", {
    description: "Go to the questions in askd",
    handler: guard((context) => told(context, () => goTo(parts))),
  });
}

/**
 * Runs something and tells the person why it failed.
 * @param {Context} context
 * @param {() => Promise<void>} run
 */
async function told(context, run) {
  try {
    await run();
  } catch (error) {
    const text = error instanceof LostError ? notRunning : error instanceof Error ? error.message : String(error);
    context.ui.notify(clean(text), "error");
  }
}

/**
 * @param {import("./connection.js").Connection} connection
 * @param {string} method
 * @param {object} params
 */
async function ask(connection, method, params) {
  if (!(await connection.reach())) throw new LostError(notRunning);
  return connection.request(method, params);
}

/** @param {Parts} parts */
async function goTo(parts) {
  const moved = await ask(parts.connection, "pane.focus", {}).catch((error) => {
    if (error instanceof LostError) throw error;
    return {}; // this askd, or this terminal, has no way to move the focus
  });
  if (!moved.moved) await show(parts);
}

/**
 * Brings the session's queue back and puts its first form on the screen.
 * @param {Parts} parts
 */
async function show({ connection, session, panel }) {
  await ask(connection, "queue.show", { session: session.id });
  const [requestId] = panel.state.pendingRequestIds;
  const view = requestId ? { view: "form", requestId, session: session.id } : { view: "queue" };
  await ask(connection, "pane.open", view);
}

/**
 * A command that found nothing to do says so.
 * @param {Parts} parts
 * @param {Context} context
 */
function sayIfNone({ panel }, context) {
  if (panel.state.pending === 0 && panel.state.foreground === 0) context.ui.notify("No question of this session waits.", "info");
}

/** What each argument of /ask-mode asks for; undefined takes the setting back. @type {Map<string, boolean | undefined>} */
const modes = new Map([["normal", false], ["background", true], ["inherit", undefined]]);

/**
 * @param {Parts} parts
 * @param {string} args
 * @param {Context} context
 */
async function changeMode(parts, args, context) {
  const words = args.split(/\s+/).filter(Boolean);
  const project = words.includes("--project");
  const [mode, ...rest] = words.filter((word) => word !== "--project");
  if (mode === undefined && !project) return context.ui.notify(parts.modes.describe(), "info");
  if (!modes.has(mode) || rest.length > 0) throw new Error("Usage: /ask-mode [normal|background|inherit] [--project]");
  const changed = await (project ? setProject : setGlobal)(parts, modes.get(mode), context);
  context.ui.notify(changed ? parts.modes.describe() : "Question mode unchanged.", "info");
}

/**
 * @param {Parts} parts
 * @param {boolean | undefined} value
 * @param {Context} context
 */
function setProject({ modes }, value, context) {
  if (context.isProjectTrusted?.() === false) throw new Error("This project is not trusted, so its question mode has no effect. Trust it first.");
  const file = modes.projectFile(context);
  return modes.change({ project: value }, async () => writeMode(file, value));
}

/**
 * @param {Parts} parts
 * @param {boolean | undefined} value
 */
function setGlobal({ modes, connection }, value) {
  return modes.change({ global: value === true }, async () => {
    const { saved, message } = await ask(connection, "settings.set", { key: "behaviour.backgroundOnly", value: value ?? null });
    if (saved === false) throw new Error(message);
  });
}

module.exports = { registerCommands };
