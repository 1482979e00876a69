import { createInterface } from "node:readline";
import { spawn } from "./child-process.js";

const SESSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const STATELESS = ["2026-07-28"];
const LISTS = ["tools/list", "prompts/list", "resources/templates/list", "ping"];
const clientInfo = { name: "build", version: "1" };

/**
 * What a built server answers to the first requests of a session, by what is asked, for `src/mcp/opening.ts`: what
 * demonstrations and others have in common, and what each says of itself. The server must have no such answers yet.
 * @param {string} program
 */
export async function recordFirstAnswers(program) {
  const [service, demo] = await Promise.all([ask(program, []), ask(program, ["--demo"])]);
  /** @param {Record<string, string>} answers @param {Record<string, string>} others @param {boolean} alike */
  const pick = (answers, others, alike) =>
    Object.fromEntries(Object.entries(answers).filter(([what, text]) => (others[what] === text) === alike));
  return {
    common: pick(service, demo, true),
    service: pick(service, demo, false),
    demo: pick(demo, service, false),
  };
}

/** @param {string} program @param {string[]} args */
async function ask(program, args) {
  /** @type {Record<string, string>} */
  const answers = {};
  for (const version of SESSIONS) {
    const initialize = { protocolVersion: version, capabilities: {}, clientInfo };
    const [opened = "", ...lists] = await converse(program, args, [
      { method: "initialize", params: initialize },
      ...LISTS.map((method) => ({ method })),
    ]);
    answers[`initialize ${version}`] = opened;
    // One record serves all versions.
    for (const [index, method] of LISTS.entries()) {
      const known = answers[method] ?? lists[index];
      if (known === undefined || known !== lists[index]) throw new Error(`${method} differs in ${version}.`);
      answers[method] = known;
    }
  }
  for (const version of STATELESS) {
    const methods = ["server/discover", ...LISTS.slice(0, 3)];
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const found = await converse(
      program,
      args,
      methods.map((method) => ({ method, params: { _meta } })),
    );
    for (const [index, method] of methods.entries()) answers[`${method} ${version}`] = found[index] ?? "";
  }
  return answers;
}

/**
 * The results of the requests, each as JSON text.
 * @param {string} program @param {string[]} args @param {object[]} requests
 */
async function converse(program, args, requests) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  /** @type {string[]} */
  const results = [];
  for (const [id, request] of requests.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
  }
  let left = requests.length;
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (result === undefined) throw new Error(`The server refuses ${JSON.stringify(requests[id])}: ${line}`);
    results[id] = JSON.stringify(result);
    left--;
    if (left === 0) break;
  }
  child.stdin.end();
  return results;
}
