"use strict";
// The events that other extensions of the same pi know of (contract, "Remote inter-extension events" and "Herdr blocked
// lifecycle"): what is asked and answered goes out, an answer of theirs comes in.

const { unsendable } = require("./connection.js");
const { guard } = require("./guard.js");

const channels = {
  started: "pi-agent-ask:started",
  completed: "pi-agent-ask:completed",
  submit: "pi-agent-ask:submit",
  submitResult: "pi-agent-ask:submit-result",
  blocked: "herdr:blocked",
};

class Bus {
  /**
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} pi
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   */
  constructor(pi, session, connection) {
    this.pi = pi;
    this.session = session;
    this.connection = connection;
    this.active = false;
    pi.events.on(channels.submit, guard((event) => this.submit(event)));
  }

  /** @param {object} event */
  started(event) {
    this.emit(channels.started, event);
  }

  /** @param {object} event */
  completed(event) {
    this.emit(channels.completed, event);
  }

  /** Says whether the agent stands still for a person. Only changes are told. @param {boolean} active */
  blocked(active) {
    if (this.active === active) return;
    this.active = active;
    this.emit(channels.blocked, active ? { active, label: "Waiting for user response" } : { active });
  }

  /**
   * @param {string} channel
   * @param {object} event
   */
  emit(channel, event) {
    if (this.session.context) guard(() => this.pi.events.emit(channel, event))();
  }

  /** @param {any} event */
  async submit(event) {
    const reply = await this.respond(event);
    const { requestId, flowId } = Object(event);
    const text = (/** @type {unknown} */ value) => (typeof value === "string" ? value : "");
    this.emit(channels.submitResult, { version: 1, requestId: text(requestId), flowId: text(flowId), ...reply });
  }

  /**
   * @param {any} event
   * @returns {Promise<{ok: boolean, error?: string, message?: string}>}
   */
  async respond(event) {
    const fault = envelopeFault(event);
    if (fault) return { ok: false, error: "invalid_request", message: fault };
    const obstacle = unsendable(event.response);
    if (obstacle) return { ok: false, error: "invalid_request", message: obstacle };
    const inactive = { ok: false, error: "flow_not_found", message: "Ask flow is not active." };
    if (!this.connection.ready) return inactive;
    try {
      const { flowId, response } = event;
      return await this.connection.request("form.respond", { flowId, session: this.session.id, tool: "ask_user", response });
    } catch {
      return inactive;
    }
  }
}

/** What must hold of a submit event before its form is looked for, in order. @type {[string, (event: any) => boolean][]} */
const envelope = [
  ["Submit event must be an object.", (event) => typeof event === "object" && event !== null && !Array.isArray(event)],
  ["Submit event version must be 1.", ({ version }) => version === 1],
  ["Submit event requestId is required.", ({ requestId }) => typeof requestId === "string" && requestId.trim() !== ""],
  ["Submit event flowId is required.", ({ flowId }) => typeof flowId === "string" && flowId.trim() !== ""],
  ["Submit response must be an object.", ({ response }) => typeof response === "object" && response !== null && !Array.isArray(response)],
  ['Submit response kind must be "answer" or "cancel".', ({ response: { kind } }) => kind === "answer" || kind === "cancel"],
];

/** @param {any} event */
function envelopeFault(event) {
  return envelope.find(([, holds]) => !holds(event))?.[0];
}

module.exports = { Bus, envelopeFault };
