"use strict";
// An uncaught throw or an unhandled rejection in an extension ends pi, so everything that pi, a timer or the socket
// calls goes through here. Named steps are written to a file for those who have to see what happened when.

const fs = require("node:fs");

/** Where steps are written: the file named by ASKD_PI_TRACE, or nowhere. */
const traceFile = process.env.ASKD_PI_TRACE;

/**
 * The step to halt at, for tests of what a crash leaves behind: a step's name, after a number sign the how manieth time it
 * is taken, after an equals sign a file.
 */
const [, haltStep, haltTurn, haltFile] = /^([^#=]*)(?:#(\d+))?(?:=(.+))?$/.exec(process.env.ASKD_PI_HALT ?? "") ?? [];
let turnsLeft = Number(haltTurn ?? 1);

/**
 * Notes that a step of a call or delivery has been taken, before the next one begins.
 * @param {string} name
 * @param {Record<string, unknown>} [about]
 */
function step(name, about) {
  if (traceFile) note(traceFile, JSON.stringify({ step: name, at: Date.now(), ...about }) + "\n");
  if (haltStep === name && --turnsLeft === 0) halt();
}

/**
 * @param {string} file
 * @param {string} line
 */
function note(file, line) {
  try {
    fs.appendFileSync(file, line);
  } catch {
    // A trace that cannot be written must not change what is traced.
  }
}

/** Ends the process as a crash would; with a file, makes it and stands still until it has been removed. */
function halt() {
  if (!haltFile) {
    process.kill(process.pid, "SIGKILL");
    return;
  }
  note(haltFile, "");
  const clock = new Int32Array(new SharedArrayBuffer(4));
  while (fs.existsSync(haltFile)) Atomics.wait(clock, 0, 0, 5);
}

/**
 * Notes a fault that nobody else will hear of.
 * @param {unknown} error
 */
function fault(error) {
  step("fault", { error: error instanceof Error ? error.stack : String(error) });
}

/**
 * Makes a callback that never throws and never leaves a rejection behind.
 * @template {any[]} A
 * @template R
 * @param {(...args: A) => R} f
 * @returns {(...args: A) => R | undefined}
 */
function guard(f) {
  return (...args) => {
    try {
      const result = f(...args);
      if (result instanceof Promise) return /** @type {R} */ (/** @type {unknown} */ (result.catch(fault)));
      return result;
    } catch (error) {
      fault(error);
      return undefined;
    }
  };
}

/**
 * A timer that neither throws nor keeps pi alive.
 * @param {number} ms
 * @param {() => unknown} f
 */
function later(ms, f) {
  const timer = setTimeout(guard(f), ms);
  timer.unref();
  return timer;
}

module.exports = { guard, later, step, fault };
