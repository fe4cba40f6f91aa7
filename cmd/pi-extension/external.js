"use strict";
// Forms that askd's pane does not serve, offered to the other extensions of this pi (contract, "External UI negotiation").
// The first that takes one shows it and answers; without any the agent is told that it needs user input.

const { LostError, tell, unsendable } = require("./connection.js");
const { fault, guard } = require("./guard.js");
const { show } = require("./results.js");

/** The event in which a form is offered. */
const channel = "pi-agent-ask:external-ui";

/**
 * @typedef {object} Surface what askd wants shown (PROTOCOL, ask.surface)
 * @property {string} requestId
 * @property {string} flowId
 * @property {string} toolCallId
 * @property {string} [title]
 * @property {any[]} questions
 * @property {number} createdAt
 * @typedef {object} Provider
 * @property {1} version
 * @property {string} id
 * @property {(request: object) => Promise<any>} open
 */

class External {
  /**
   * @param {object} parts
   * @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} parts.pi
   * @param {import("./session.js").Session} parts.session
   * @param {import("./connection.js").Connection} parts.connection
   * @param {import("./calls.js").Calls} parts.calls
   * @param {import("./bus.js").Bus} parts.bus
   */
  constructor({ pi, session, connection, calls, bus }) {
    this.pi = pi;
    this.session = session;
    this.connection = connection;
    this.calls = calls;
    this.bus = bus;
    /** What providers show, by request id. @type {Map<string, AbortController>} */
    this.open = new Map();
    calls.whenEnded(({ requestId }) => this.end(requestId));
  }

  /** @param {Surface} surface ask.surface */
  async offer(surface) {
    const { requestId } = surface;
    const call = this.calls.open.get(requestId);
    const provider = call && !call.aborted ? this.negotiate(surface) : undefined;
    if (!call || !provider) return this.fail(requestId, "no_ui");
    const operation = new AbortController();
    this.open.set(requestId, operation);
    show(call, "Waiting for your answer in the connected UI.", "muted");
    await undefined; // a provider is called back when its own event handler is through
    if (operation.signal.aborted) return;
    const { flowId, toolCallId, title, questions, createdAt } = surface;
    const form = () => ({ version: 1, flowId, toolCallId, title, questions: structuredClone(questions) });
    this.bus.started({ ...form(), source: "tool", createdAt });
    try {
      await this.answer(requestId, await provider.open({ ...form(), signal: operation.signal }), operation.signal);
    } catch (error) {
      if (!operation.signal.aborted && !(error instanceof LostError)) this.fail(requestId, "error", messageOf(error));
    }
  }

  /**
   * Offers a form to whoever listens now.
   * @param {Surface} surface
   * @returns {Provider | undefined} the first that fits
   */
  negotiate({ toolCallId }) {
    /** @type {Provider | undefined} */
    let taken;
    let late = false;
    const connect = (/** @type {any} */ provider) => {
      if (late || taken || !fits(provider)) return false;
      taken = provider;
      return true;
    };
    try {
      this.pi.events.emit(channel, { version: 1, mode: this.session.ui, toolCallId, connect });
    } catch (error) {
      fault(error);
    }
    late = true;
    return taken;
  }

  /**
   * @param {string} requestId
   * @param {unknown} response
   * @param {AbortSignal} ended
   */
  async answer(requestId, response, ended) {
    if (ended.aborted) return; // a late response cannot change the result
    const invalid = (/** @type {string} */ why) => new Error(`External ask UI returned an invalid response: ${why}`);
    const obstacle = unsendable(response);
    if (obstacle) throw invalid(obstacle);
    const reply = await this.connection.request("form.respond", { requestId, session: this.session.id, response, via: "external" });
    if (!reply.ok && reply.error !== "flow_not_found") throw invalid(reply.message);
  }

  /**
   * @param {string} requestId
   * @param {"error" | "no_ui"} kind
   * @param {string} [error]
   */
  fail(requestId, kind, error) {
    tell(this.connection, "form.fail", { requestId, session: this.session.id, kind, error });
  }

  /** A call has ended, or its operation has: its provider closes. @param {string} requestId */
  end(requestId) {
    const operation = this.open.get(requestId);
    this.open.delete(requestId);
    if (operation) guard(() => operation.abort())();
  }
}

/** @param {any} provider */
function fits(provider) {
  try {
    const { version, id, open } = Object(provider);
    return version === 1 && typeof id === "string" && id.trim() !== "" && typeof open === "function";
  } catch {
    return false;
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

module.exports = { External };
