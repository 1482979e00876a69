import { Agent } from "undici";
import { BASE_PATH } from "../src/operations/contract.ts";
import { startProgram } from "../test/support/processes.ts";
import { describeOrganization, QUOTA } from "./organizations.ts";

/** The service behind a server, and a client that calls it directly: the lower bound for each call. */
export interface Upstream {
  origin: string;
  key: string;
  site: string;
  /** A bare request over kept connections. */
  ask(path: string, query: Record<string, unknown>): Promise<void>;
  /** How many requests it has received, including this one. */
  count(): Promise<number>;
  close(): Promise<void>;
}

/** @param delay Milliseconds until it answers. */
export async function startUpstream(serviceScript: string, delay: number): Promise<Upstream> {
  const program = await startProgram(process.execPath, [serviceScript, "1", `${delay}`], {}, "Service at");
  const [, origin = ""] = /Service at (\S+)/.exec(program.output.stderr) ?? [];
  const { key, site } = describeOrganization(0);
  const agent = new Agent();
  const request = async (path: string, query: Record<string, unknown>) => {
    const answer = await agent.request({
      origin,
      method: "GET",
      path: `${BASE_PATH}${path}`,
      query: { site, ...query },
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
    return answer.headers;
  };
  // Visits are counted once, before anything is measured.
  await request("/stats", { days: 365 });
  await request("/breakdown", { days: 365, dimension: "pages" });
  return {
    origin,
    key,
    site,
    ask: async (path, query) => void (await request(path, query)),
    count: async () => {
      const { ratelimit } = await request("/realtime", {});
      return QUOTA - Number(/;r=(\d+)/.exec(`${ratelimit}`)?.[1]);
    },
    close: async () => {
      await agent.close();
      await program.stop();
    },
  };
}
