"use strict";
// Brings outcomes that askd delivers into pi's session (DESIGN, "The shim"): between the turns of a run, or by starting one
// when pi is idle. Never through pi's own message queues, which Esc empties without a word.

const { dataOf, deliveredOutcomes, kinds } = require("./branch.js");
const { later, step } = require("./guard.js");

/** How often an agent that is busy with something else than a run is asked whether it is done. */
const pollEvery = 100;

/** How long a message that the person has just sent may take until its run begins. */
const inputPatience = 1000;

/**
 * @typedef {object} Delivery PROTOCOL, Delivery
 * @property {string} session
 * @property {number} epoch
 * @property {string} requestId
 * @property {string} outcomeId
 * @property {"background" | "followUp" | "dismissOnly"} as
 * @property {string} [toolCallId]
 * @property {boolean} wake
 * @property {any[]} content
 * @property {any} details
 * @property {any[]} transcript
 * @property {{storedAt?: string}} [provenance]
 */

class Deliveries {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./acks.js").Acks} parts.acks
   * @param {import("./cards.js").Cards} parts.cards
   */
  constructor({ pi, session, acks, cards }) {
    this.pi = pi;
    this.session = session;
    this.acks = acks;
    this.cards = cards;
    /** Received and not placed, oldest first. @type {Delivery[]} */
    this.waiting = [];
    /** Between the start of a run and its end the boundaries place what comes. */
    this.running = false;
    /** When the person stopped the agent: what was ready by then does not set it going again. */
    this.calmedAt = 0;
    /** Until when a run is expected that the person has just asked for. */
    this.expectedUntil = 0;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
  }

  /** @param {Delivery} delivery */
  arrive(delivery) {
    if (!this.session.owns(delivery)) return;
    const { requestId, outcomeId } = delivery;
    step("outcome-received", { requestId });
    if (this.acks.has(outcomeId)) return;
    const at = this.waiting.findIndex((other) => other.outcomeId === outcomeId);
    if (at >= 0) this.waiting[at] = delivery;
    else this.waiting.push(delivery);
    this.pump();
  }

  /**
   * Forgets what came before a session.open and is not to be delivered any more by what askd answered: another process of
   * the session may have placed it meanwhile. What has come since stays.
   * @param {Delivery[]} before
   * @param {{outcomeId: string}[]} undelivered
   */
  keep(before, undelivered) {
    const still = new Set(undelivered.map(({ outcomeId }) => outcomeId));
    this.waiting = this.waiting.filter((delivery) => still.has(delivery.outcomeId) || !before.includes(delivery));
  }

  /** A wait took an outcome over. @param {{session?: string, epoch?: number, outcomeId: string}} params */
  withdraw(params) {
    if (!this.session.owns(params)) return;
    this.waiting = this.waiting.filter(({ outcomeId }) => outcomeId !== params.outcomeId);
  }

  /** Forgets what another branch was to be given: askd sends it again where it belongs. */
  clear() {
    this.waiting = [];
    this.calmedAt = this.expectedUntil = 0;
  }

  /** The person has sent a message while pi was idle: its run goes first. */
  expectRun() {
    if (!this.running) this.expectedUntil = Date.now() + inputPatience;
  }

  begun() {
    this.running = true;
    this.expectedUntil = 0;
  }

  /** A run has ended. @param {boolean} aborted */
  settled(aborted) {
    this.running = false;
    this.calmedAt = aborted ? Date.now() : 0;
    this.acks.look(true);
    // What is sent inside the event waits until all its handlers are done; after it nothing does.
    later(0, () => this.pump());
  }

  /**
   * Hands over what is ready between two turns, or before the run ends.
   * @param {{entries?: any[], continue?: boolean, outcome?: string}} event
   * @returns {{entries: any[], continue: boolean} | undefined}
   */
  boundary(event) {
    if (!Array.isArray(event.entries) || event.outcome === "aborted") return undefined;
    this.dropDelivered();
    const ready = this.waiting.filter(({ as }) => as === "background");
    if (ready.length === 0) return undefined;
    const entries = ready.flatMap((delivery) => [...this.completion(delivery), { type: "custom_message", ...message(delivery) }]);
    for (const delivery of ready) this.place(delivery);
    return { entries: [...event.entries, ...entries], continue: event.continue === true || ready.some(({ wake }) => wake) };
  }

  /** Hands over what is ready to an idle agent: what does not wake it, then one thing that does. */
  pump() {
    const context = this.session.context;
    if (!context || this.waiting.length === 0 || this.running) return;
    if (!context.isIdle() || Date.now() < this.expectedUntil) return this.pumpLater();
    this.dropDelivered();
    for (const delivery of [...this.waiting]) {
      const how = this.ways[delivery.as];
      if (!how) continue;
      const wakes = delivery.wake && !this.calmed(delivery);
      if (delivery.as === "followUp" && !wakes) continue;
      this.clearEditor(delivery);
      how(delivery, wakes);
      if (wakes) return;
    }
  }

  /** How each kind of delivery goes to an idle agent. @type {Record<string, (delivery: Delivery, wakes: boolean) => void>} */
  ways = {
    background: (delivery, wakes) => {
      for (const { customType, data } of this.completion(delivery)) this.pi.appendEntry(customType, data);
      this.place(delivery);
      this.pi.sendMessage(message(delivery), { triggerTurn: wakes });
    },
    followUp: (delivery) => {
      const { requestId, outcomeId, toolCallId } = delivery;
      for (const { customType, data } of this.completion(delivery)) this.pi.appendEntry(customType, data);
      this.pi.appendEntry(kinds.resumeSent, { requestId, outcomeId });
      this.place(delivery, { seen: () => this.pi.appendEntry(kinds.dismissed, { toolCallId, requestId }) });
      this.pi.sendUserMessage(contentOf(delivery));
    },
    dismissOnly: (delivery) => {
      const { requestId, toolCallId } = delivery;
      this.pi.appendEntry(kinds.dismissed, { toolCallId, requestId });
      this.place(delivery, { shows: (branch) => dataOf(branch, kinds.dismissed).some((data) => data.requestId === requestId) });
      this.acks.look();
    },
  };

  /**
   * @param {Delivery} delivery
   * @param {Partial<import("./acks.js").Placed>} [more]
   */
  place(delivery, more) {
    const { requestId, outcomeId } = delivery;
    this.waiting = this.waiting.filter((other) => other !== delivery);
    this.acks.add({ requestId, outcomeId, lost: () => this.waiting.push(delivery), ...more });
  }

  /**
   * The entry that goes with an outcome, unless an earlier attempt has left it on the branch.
   * @param {Delivery} delivery
   */
  completion({ requestId, outcomeId, transcript }) {
    this.cards.add(requestId, transcript);
    if (dataOf(this.session.branch(), kinds.completed).some((data) => data.outcomeId === outcomeId)) return [];
    return [{ type: "custom", customType: kinds.completed, data: { requestId, outcomeId, transcript } }];
  }

  /** What the branch shows already was sent again by an askd that had not heard of it. */
  dropDelivered() {
    if (this.waiting.length === 0) return;
    const branch = this.session.branch();
    const outcomes = deliveredOutcomes(branch);
    const dismissed = new Set(dataOf(branch, kinds.dismissed).map(({ requestId }) => requestId));
    /** @param {Delivery} delivery */
    const shown = ({ as, requestId, outcomeId }) => outcomes.has(outcomeId) || (as === "dismissOnly" && dismissed.has(requestId));
    for (const delivery of this.waiting.filter(shown)) this.acks.acknowledge(delivery);
    this.waiting = this.waiting.filter((delivery) => !shown(delivery));
  }

  /** @param {Delivery} delivery */
  calmed({ provenance }) {
    return Date.parse(provenance?.storedAt ?? "") <= this.calmedAt;
  }

  /**
   * Choosing a delivered message in pi's tree puts its text into the editor, from where it must not be sent again.
   * @param {Delivery} delivery
   */
  clearEditor(delivery) {
    const ui = this.session.context?.ui;
    if (this.session.ui !== "tui" || !ui?.getEditorText) return;
    const text = textOf(delivery);
    if (text && ui.getEditorText().trim() === text.trim()) ui.setEditorText("");
  }

  pumpLater() {
    clearTimeout(this.timer);
    this.timer = later(pollEvery, () => this.pump());
  }
}

/** @param {Delivery} delivery */
function textOf({ content }) {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n").trim();
}

/**
 * A text alone goes as a string, with images as blocks.
 * @param {Delivery} delivery
 * @returns {any}
 */
function contentOf({ content }) {
  return content.length === 1 && content[0].type === "text" ? content[0].text : content;
}

/** @param {Delivery} delivery */
function message(delivery) {
  const { requestId, outcomeId, details } = delivery;
  return {
    customType: kinds.answer,
    content: contentOf(delivery),
    display: false,
    details: { ...details, requestId, outcomeId },
  };
}

module.exports = { Deliveries };
