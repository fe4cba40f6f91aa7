"use strict";
// The askd extension of the Pi coding agent: it registers the tools that ask, sends their calls to askd over a Unix
// socket, and puts what comes back into pi's session. It decides nothing that askd can decide.
//
// CommonJS with Node's own modules only: pi loads that some ten times faster than TypeScript, on all its versions.

const { Acks } = require("./acks.js");
const { Alone } = require("./alone.js");
const { Bus } = require("./bus.js");
const { Calls } = require("./calls.js");
const { Cards } = require("./cards.js");
const { registerCommands } = require("./commands.js");
const { Connection } = require("./connection.js");
const { Deliveries } = require("./deliveries.js");
const { Dialogs } = require("./dialogs.js");
const { guard } = require("./guard.js");
const { HistoryTools, emptyRows, historyNames } = require("./history.js");
const { Modes, waitTool } = require("./modes.js");
const { Notice } = require("./notice.js");
const { Opener } = require("./opener.js");
const { Panel } = require("./panel.js");
const { socketPath } = require("./paths.js");
const { prepare } = require("./prepare.js");
const { QuestionTool, questionTool } = require("./question.js");
const { askAgain } = require("./recovery.js");
const { renderCall, renderResult, withCards } = require("./rows.js");
const { External } = require("./external.js");
const { followRun, followSession } = require("./follow.js");
const { Session } = require("./session.js");
const { clean } = require("./text.js");
const { Waits } = require("./waits.js");
const { version } = require("./package.json");
/** @type {any[]} */
const tools = require("./tools.json");

/**
 * @typedef {import("@earendil-works/pi-coding-agent").ExtensionAPI} ExtensionAPI
 * @typedef {object} Parts
 * @property {Session} session
 * @property {Connection} connection
 * @property {Acks} acks
 * @property {Cards} cards
 * @property {Notice} notice
 * @property {Bus} bus
 * @property {Modes} modes
 * @property {HistoryTools} history
 * @property {QuestionTool} question
 * @property {Calls} calls
 * @property {Deliveries} deliveries
 * @property {Dialogs} dialogs
 * @property {External} external
 * @property {Panel} panel
 * @property {Waits} waits
 * @property {(reason: string) => void} reopen tells askd anew what is on the branch
 */

/**
 * @param {ExtensionAPI} pi
 */
module.exports = function askd(pi) {
  const parts = assemble(pi);
  pi.registerToolRenderer?.((name, next) => {
    const own = next();
    if (historyNames.has(name)) return emptyRows;
    return own?.renderResult && name === "codemode" ? withCards(own, parts.cards) : own;
  });
  registerCommands(pi, parts);
  followSession(pi, parts);
  followRun(pi, parts);
};

/**
 * @param {ExtensionAPI} pi
 * @returns {Parts}
 */
function assemble(pi) {
  const session = new Session(new Set([...tools.map(({ name }) => name).filter((name) => name !== waitTool), questionTool]));
  let reason = "";
  const connection = new Connection(socketPath(), {
    async greet() {
      session.legacyTold = "";
      await connection.request("initialize", { protocol: 1, client: { name: "askd-pi", version } });
      await open(parts, reason || session.reason);
      reason = "reconnect";
    },
    up() {
      notice.back();
      opener.back();
      acks.back();
      calls.resume();
      waits.back();
      deliveries.pump();
    },
    down(failure) {
      calls.down(failure);
      panel.gone();
      dialogs.gone();
    },
    notified(method, params) {
      if (Object.hasOwn(pushes, method)) pushes[method](params, parts);
    },
  });
  const notice = new Notice(session);
  const acks = new Acks(session, connection);
  const cards = new Cards();
  const bus = new Bus(pi, session, connection);
  const changed = () => bus.blocked(panel.blocks() || calls.blocks());
  const panel = new Panel(pi, session, changed);
  const modes = new Modes({ pi, session, connection, register: (tool) => register(pi, () => parts, tool) });
  const calls = new Calls({ pi, session, connection, acks, notice, cards, modes, changed });
  const history = new HistoryTools({ pi, session, connection, calls, modes });
  const question = new QuestionTool({ pi, session, connection, calls, modes });
  const deliveries = new Deliveries({ pi, session, acks, cards });
  const dialogs = new Dialogs({ connection, calls });
  const external = new External({ pi, session, connection, calls, bus });
  const waits = new Waits({ session, connection, calls, panel });
  const again = (/** @type {string} */ why) => {
    if (session.context && connection.ready) guard(() => open(parts, why))();
  };
  /** @type {Parts} */
  const parts = { session, connection, acks, cards, notice, bus, modes, history, question, calls, deliveries, dialogs, external, panel, waits, reopen: again };
  const opener = new Opener(session, connection, () => panel.quietNow());
  const alone = new Alone(calls);
  calls.askAlone = guard((call) => alone.ask(call));
  calls.openPane = () => opener.open();
  calls.reopen = () => again("reconnect");
  calls.acknowledge = () => {
    acks.look();
    deliveries.dropDelivered();
  };
  return parts;
}

/**
 * Opens the session, once more when another branch was entered meanwhile.
 * @param {Parts} parts
 * @param {string} why
 */
async function open(parts, why) {
  const { session, connection, calls, deliveries, modes } = parts;
  for (let epoch = -1; epoch !== session.epoch; why = session.reason) {
    epoch = session.epoch;
    const id = session.id;
    const legacy = session.legacy();
    const last = legacy.pop();
    for (const part of legacy) await connection.request("session.open", session.info(why, calls.unfinished(), part));
    if (epoch !== session.epoch) continue;
    const before = [...deliveries.waiting];
    const [opened] = await Promise.all([
      connection.request("session.open", session.info(why, calls.unfinished(), last)),
      connection.request("session.mode", { backgroundOnly: modes.backgroundOnly }),
    ]);
    session.legacyTold = id;
    if (epoch !== session.epoch) continue;
    deliveries.keep(before, opened.undelivered ?? []);
    entered(opened, parts);
  }
}

/**
 * @param {any} opened the result of session.open
 * @param {Parts} parts
 */
function entered(opened, parts) {
  parts.session.remote = opened.remote === true;
  askAgain(opened.unknown ?? [], parts.session, parts.connection);
  guard(() => settle(opened.settings, parts))();
}

/**
 * Brings the tools in line with askd's settings.
 * @param {any} settings
 * @param {Parts} parts
 */
async function settle(settings, { modes, history, question }) {
  history.take(settings);
  question.take(settings);
  await modes.settle(settings);
  await history.settle();
  await question.settle();
}

/** What askd says of its own accord. @type {Record<string, (params: any, parts: Parts) => void>} */
const pushes = {
  "ask.accepted"(params, { session, calls }) {
    if (session.owns(params)) calls.accepted(params);
  },
  "ask.started": (params, { bus }) => bus.started(params),
  "ask.completed": (params, { bus }) => bus.completed(params),
  "ask.deliver": (params, { deliveries }) => deliveries.arrive(params),
  "ask.withdraw": (params, { deliveries }) => deliveries.withdraw(params),
  "ask.surface": (params, { external }) => guard(() => external.offer(params))(),
  "dialog.show": (params, { dialogs }) => guard(() => dialogs.show(params))(),
  "dialog.close": (params, { dialogs }) => dialogs.close(params),
  "session.stale": (_params, { reopen }) => reopen("reconnect"),
  "session.state"(params, { session, calls, panel }) {
    if (!session.owns(params)) return;
    if (params.waiting > 0) calls.waits(params.pending);
    panel.take(params);
  },
  "settings.changed": ({ settings }, parts) => guard(() => settle(settings, parts))(),
  notify({ level, text }, { session }) {
    session.context?.ui.notify(clean(String(text)), level);
  },
};

/**
 * @param {ExtensionAPI} pi
 * @param {() => Parts} parts
 * @param {any} tool one entry of tools.json
 */
function register(pi, parts, tool) {
  pi.registerTool({
    ...tool,
    prepareArguments: (/** @type {any} */ args) => (prepare[tool.name] ?? ((same) => same))(args),
    execute: (/** @type {[string, any, AbortSignal | undefined, any, any]} */ ...[id, args, signal, update, context]) =>
      parts().calls.execute(tool.name, id, args, signal, update, context),
    renderCall: (/** @type {any} */ args, /** @type {any} */ theme) => renderCall(tool.name, args, theme),
    renderResult: (/** @type {any} */ result, /** @type {any} */ _options, /** @type {any} */ theme, /** @type {any} */ context) =>
      renderResult(result, theme, context, parts().cards),
  });
}
