import { Agent } from "undici";

/**
 * A plain GET by undici over kept connections; resolves to the body.
 *
 * @param {string} url
 */
export function createRequest(url) {
  const agent = new Agent();
  const { origin, pathname, search } = new URL(url);
  const headers = { authorization: `Bearer ${process.env.ANALYTICS_API_KEY}` };
  return async () => {
    const answer = await agent.request({ origin, path: pathname + search, method: "GET", headers });
    return answer.body.text();
  };
}
