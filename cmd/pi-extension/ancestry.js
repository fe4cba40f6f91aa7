"use strict";
// The sessions that a session was forked from. pi names them by their files; askd knows them by their ids.

const fs = require("node:fs");
const path = require("node:path");

/** How far back a chain of forks is followed. */
const generations = 20;

/** How much of a file may be read for its first line. */
const headerBytes = 64 << 10;

/**
 * @param {string | undefined} file the session file that the header names
 * @returns {{parentSession?: string, ancestors?: string[]}} the ids, nearest first
 */
function ancestry(file) {
  /** @type {string[]} */
  const ids = [];
  for (let next = file; next && ids.length < generations;) {
    const { id, parentSession } = header(next);
    if (!id || ids.includes(id)) break;
    ids.push(id);
    next = parentSession;
  }
  const [parentSession, ...ancestors] = ids;
  return parentSession ? { parentSession, ancestors } : {};
}

/**
 * The header of a session file. When the file is gone its name still gives the id.
 * @param {string} file
 * @returns {{id?: string, parentSession?: string}}
 */
function header(file) {
  try {
    const { id, parentSession } = JSON.parse(firstLine(file));
    if (typeof id === "string") return { id, parentSession: typeof parentSession === "string" ? parentSession : undefined };
  } catch {
    // The name has to do.
  }
  return { id: /_([0-9a-zA-Z-]+)\.jsonl$/.exec(path.basename(file))?.[1] };
}

/** @param {string} file */
function firstLine(file) {
  const fd = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(headerBytes);
    const text = bytes.toString("utf8", 0, fs.readSync(fd, bytes));
    return text.split("\n", 1)[0];
  } finally {
    fs.closeSync(fd);
  }
}

module.exports = { ancestry };
