/** What a record holds; numbers are written as 32 bits. */
type Value = string | number | readonly Value[] | { readonly [key: string]: Value };

/** Builds a database in MaxMind's format (maxmind.github.io/MaxMind-DB): networks such as `10.0.0.0/8` and their records. */
export function buildMmdb(
  networks: Readonly<Record<string, Value>>,
  { ipVersion = 6, type = "Test" }: { ipVersion?: 4 | 6; type?: string } = {},
): Buffer {
  const records = Object.entries(networks);
  const root: Node = [undefined, undefined];
  for (const [index, [network]] of records.entries()) insert(root, listBits(network, ipVersion), index);
  const nodes = listNodes(root);
  const data = records.map(([, record]) => encode(record));
  const offsets = data.map((_, index) => data.slice(0, index).reduce((sum, { length }) => sum + length, 0));
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach((node, number) => {
    node.forEach((child, side) => {
      let target = nodes.length;
      if (typeof child === "number") target += 16 + (offsets[child] ?? 0);
      else if (child !== undefined) target = nodes.indexOf(child);
      tree.writeUIntBE(target, number * 6 + side * 3, 3);
    });
  });
  const about = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: type,
    description: {},
    ip_version: ipVersion,
    languages: [],
    node_count: nodes.length,
    record_size: 24,
  };
  return Buffer.concat([tree, Buffer.alloc(16), ...data, METADATA, encode(about)]);
}

const METADATA = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

/** Left and right: a node, the number of a record, or nothing. */
type Node = [Node | number | undefined, Node | number | undefined];

function listBits(network: string, ipVersion: 4 | 6): number[] {
  const [address = "", length] = network.split("/");
  const isIPv4 = !address.includes(":");
  const bytes = isIPv4 ? address.split(".").map(Number) : listBytes(address);
  const bits = bytes.flatMap((byte) => [...byte.toString(2).padStart(8, "0")].map(Number));
  // In a tree of both, IPv4 is at ::/96.
  const before = isIPv4 && ipVersion === 6 ? Array<number>(96).fill(0) : [];
  return [...before, ...bits.slice(0, Number(length))];
}

function listBytes(address: string): number[] {
  const [left = [], right = []] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  const groups = [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
  return groups.flatMap((group) => [group >> 8, group & 255]);
}

function insert(node: Node, [bit = 0, ...rest]: number[], record: number): void {
  if (rest.length === 0) {
    node[bit] = record;
    return;
  }
  const child = node[bit];
  const next: Node = typeof child === "object" ? child : [undefined, undefined];
  node[bit] = next;
  insert(next, rest, record);
}

const listNodes = (node: Node): Node[] => [
  node,
  ...node.flatMap((child) => (typeof child === "object" ? listNodes(child) : [])),
];

const MAP = 7;
const TEXT = 2;
const NUMBER = 6;
const LIST = 11;

function encode(value: Value): Buffer {
  if (typeof value === "string")
    return Buffer.concat([control(TEXT, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(NUMBER, 4), bytes]);
  }
  if (isList(value)) return Buffer.concat([control(LIST, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([control(MAP, entries.length), ...entries.flat().map(encode)]);
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** The type and size that are before each value; no text here is longer than 28 bytes. */
function control(type: number, size: number): Buffer {
  if (size > 28) throw new RangeError(`${size} is too long.`);
  return Buffer.from(type > 7 ? [size, type - 7] : [(type << 5) | size]);
}
