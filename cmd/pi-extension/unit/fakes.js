"use strict";
// A pi that only keeps entries, for tests of what is placed where. What pi does with them is for the tests that run it.

class FakePi {
  constructor() {
    this.entries = [];
    this.idle = true;
    /** What was given to pi, in order. */
    this.calls = [];
    /** What has to happen until a message shows in the session. */
    this.pending = [];
  }

  appendEntry(customType, data) {
    this.calls.push(["entry", customType]);
    this.entries.push({ type: "custom", customType, data });
  }

  sendMessage(message, { triggerTurn }) {
    this.calls.push([triggerTurn ? "wake" : "quiet", message.details.requestId]);
    const write = () => this.entries.push({ type: "custom_message", ...message });
    if (!triggerTurn) return write();
    this.idle = false;
    this.pending.push(write);
  }

  sendUserMessage(content) {
    this.calls.push(["user", content]);
    this.idle = false;
    this.pending.push(() => this.entries.push({ type: "message", message: { role: "user", content } }));
  }

  /** Lets what pi was given reach the session. */
  write() {
    for (const write of this.pending.splice(0)) write();
  }

  /** The names of what was given to pi, entries left out. */
  given() {
    return this.calls.filter(([what]) => what !== "entry").map(([what, about]) => `${what} ${about}`);
  }
}

function fakeSession(pi) {
  return {
    id: "s1", epoch: 1, ui: "tui", identity: {},
    context: { isIdle: () => pi.idle, ui: { notices: [], notify: () => {} } },
    branch: () => pi.entries,
    attachments: () => ({}),
    owns: ({ session, epoch }) => session === "s1" && epoch === 1,
  };
}

/** A connection that keeps what was said on it. */
function fakeConnection() {
  return {
    ready: true, said: [],
    request(method, params) {
      this.said.push([method, params]);
      return Promise.resolve({});
    },
    /** The ids of what was said with one method. */
    ids(method) {
      return this.said.filter(([said]) => said === method).map(([, params]) => params.requestId);
    },
  };
}

module.exports = { FakePi, fakeSession, fakeConnection };
