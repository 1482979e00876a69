/** What the recorder wrote: each frame between a client and the server. */
interface Line {
  from: "client" | "server";
  frame: {
    id?: string | number;
    method?: string;
    params?: { protocolVersion?: string; _meta?: Record<string, unknown> };
    result?: { structuredContent?: { visitors?: number }; isError?: boolean; content?: { text?: string }[] };
  };
}

const readLines = (recording: string): Line[] =>
  recording
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

interface Frames {
  /** The revision that the client asked for first. */
  revision?: string | undefined;
  /** The number that the server gave it. */
  visitors?: number | undefined;
  /** Why the server gave none. */
  refusal?: string | undefined;
}

export function readFrames(recording: string): Frames {
  const lines = readLines(recording);
  const [first] = lines;
  const { protocolVersion, _meta } = first?.frame.params ?? {};
  const revision = protocolVersion ?? _meta?.["io.modelcontextprotocol/protocolVersion"];
  const results = lines.flatMap(({ frame }) => frame.result ?? []);
  return {
    revision: revision === undefined ? undefined : String(revision),
    visitors: results.find(({ structuredContent }) => structuredContent?.visitors)?.structuredContent
      ?.visitors,
    refusal: results.find(({ isError }) => isError)?.content?.[0]?.text,
  };
}

/** The client's frames, one a line, without what is of this machine or this run: its home folder, ids of a session, times. */
export function scrub(recording: string, home: string): string {
  return readLines(recording)
    .filter(({ from }) => from === "client")
    .map(({ frame }) => `${JSON.stringify(frame)}\n`)
    .join("")
    .replaceAll(home, "/home/me")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "00000000-0000-7000-8000-000000000000")
    .replace(/(unix_ms":)\d+/g, "$10");
}
