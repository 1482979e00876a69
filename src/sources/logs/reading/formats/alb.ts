import type { KnownFormat, LogLine } from "../log-line.ts";
import { readTime } from "./timestamp.ts";

/** What an AWS Application Load Balancer writes (docs.aws.amazon.com, "Access log entries"). It records no referrer. */
export const alb: KnownFormat = { name: "alb", title: "AWS ALB", createParser: () => parseLine };

const FIELDS = /"(?:[^"\\]|\\.)*"|\S+/g;
const TYPES = new Set(["http", "https", "h2", "grpcs", "ws", "wss"]);

/** Positions of the documented fields. */
const [TYPE, TIME, CLIENT, STATUS, REQUEST, AGENT] = [0, 1, 3, 8, 12, 13];

function parseLine(line: string): LogLine | undefined {
  const cells = line.match(FIELDS) ?? [];
  if (cells.length < 14 || !TYPES.has(cells[TYPE] ?? "")) return undefined;
  const time = readTime(cells[TIME]);
  const [, address] = /^\[?([^\]]{1,253})\]?:\d{1,5}$/.exec(cells[CLIENT] ?? "") ?? [];
  const status = Number(cells[STATUS] === "-" ? 0 : cells[STATUS]);
  if (Number.isNaN(time) || address === undefined || !Number.isInteger(status)) return undefined;
  const request = unquote(cells[REQUEST]);
  const [, method = "", target = request] = /^([A-Z]+) (\S+)/.exec(request) ?? [];
  const agent = unquote(cells[AGENT]);
  // The line ends within the user agent.
  if (agent.startsWith('"')) return undefined;
  // The whole URL is always there, and no other field has the host.
  const [, host] = /^[a-z]{2,5}:\/\/([^/?#]{1,300})/i.exec(target) ?? [];
  return { time, address, host, method, target, status, agent: agent === "-" ? "" : agent };
}

/** A cell that only begins with a quote stays as it is. */
const unquote = (cell = "") => (/^".*"$/s.test(cell) && cell.length > 1 ? cell.slice(1, -1) : cell);
