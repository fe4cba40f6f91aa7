"use strict";
// The files that contexts name, for an askd on another machine: it has none of them, so they are read here and sent with
// the call (PROTOCOL, tool.call). What may stand in a file is askd's to say.

const fs = require("node:fs");

/** The most bytes that a context file may have, and those of one call together. */
const largest = 1 << 20;
const most = 4 << 20;

/** What stands for a reason why a file cannot be read. @type {Record<string, string>} */
const faults = {
  ENOENT: "missing", ENOTDIR: "missing", ENAMETOOLONG: "missing", ELOOP: "missing", EINVAL: "missing", ERR_INVALID_ARG_VALUE: "missing",
  EACCES: "denied", EPERM: "denied",
  EISDIR: "irregular", ENXIO: "irregular", EAGAIN: "irregular", ENODEV: "irregular",
};

/**
 * @typedef {{path: string, data?: string, fault?: string}} File data is base64
 * @param {string} tool
 * @param {any} args
 * @returns {File[]}
 */
function gather(tool, args) {
  if (tool !== "ask_user") return [];
  let room = most;
  return [...new Set(paths(args))].map((path) => {
    if (room < 0) return { path, fault: "many" };
    const file = read(path);
    if (typeof file === "string") return { path, fault: file };
    room -= file.length;
    return room < 0 ? { path, fault: "many" } : { path, data: file.toString("base64") };
  });
}

/**
 * The paths that a call's contexts are or may be.
 * @param {any} args
 * @returns {string[]}
 */
function paths(args) {
  /** @type {string[]} */
  const found = [];
  for (const question of list(args?.questions)) {
    const line = text(question?.context);
    if (isPath(line)) found.push(line);
    for (const option of list(question?.options)) {
      const file = text(option?.previewFile);
      if (file.startsWith("/")) found.push(file);
    }
  }
  return found;
}

/**
 * A line that starts with a slash is a path when it has no white space or names something.
 * @param {string} line
 */
function isPath(line) {
  if (!line.startsWith("/") || /[\n\r\u2028\u2029]/.test(line)) return false;
  return !/\s/.test(line) || exists(line);
}

/** @param {string} path */
function exists(path) {
  try {
    fs.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * A regular file's bytes, or why there are none. Nothing else is opened: a FIFO would wait for a writer.
 * @param {string} path
 * @returns {Buffer | string}
 */
function read(path) {
  let fd = -1;
  try {
    const before = fs.statSync(path);
    if (!before.isFile()) return "irregular";
    if (before.size > largest) return "large";
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY);
    if (!fs.fstatSync(fd).isFile()) return "irregular";
    return readUpTo(fd);
  } catch (error) {
    return faults[/** @type {any} */ (error)?.code] ?? "unreadable";
  } finally {
    if (fd >= 0) fs.closeSync(fd);
  }
}

/**
 * @param {number} fd
 * @returns {Buffer | string}
 */
function readUpTo(fd) {
  const room = Buffer.alloc(largest + 1);
  let length = 0;
  for (let n = -1; n !== 0 && length < room.length; length += n) n = fs.readSync(fd, room, length, room.length - length, null);
  return length > largest ? "large" : room.subarray(0, length);
}

/** @param {any} value @returns {any[]} */
function list(value) {
  return Array.isArray(value) ? value : [];
}

/** @param {any} value */
function text(value) {
  return typeof value === "string" ? value.trim() : "";
}

module.exports = { gather };
