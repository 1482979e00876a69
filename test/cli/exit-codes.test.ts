import { HttpResponse, http } from "msw";
import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/cli/exit-codes.ts";
import { type ErrorCode, errorCodes } from "../../src/errors.ts";
import { DEMO_KEY } from "../support/api.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const { network, api } = fakeNetwork();

const codes: Record<number, ErrorCode[]> = {
  1: [
    ...(["method_not_allowed", "rate_limited", "internal_error", "unavailable", "redirected"] as const),
    ...(["bad_answer", "too_large", "unhealthy"] as const),
  ],
  2: [
    ...(["missing_parameter", "invalid_parameter", "unknown_parameter", "not_found"] as const),
    ...(["usage", "no_base_url", "invalid_base_url"] as const),
  ],
  4: ["missing_api_key", "invalid_api_key", "no_api_key"],
  5: ["unreachable", "timeout", "tls", "proxy"],
  6: ["site_not_found"],
  130: ["cancelled"],
};

it("each code of a failure has its exit code", () => {
  const told = Object.entries(codes).flatMap(([exitCode, all]) =>
    all.map((code) => [code, Number(exitCode)]),
  );
  expect(Object.fromEntries(told)).toEqual(
    Object.fromEntries(errorCodes.map((code) => [code, exitCodeOf(code)])),
  );
});

describe("each failure names its cause and its fix, for people and for programs", () => {
  const page =
    (status: number, headers: Record<string, string> = {}) =>
    () =>
      new HttpResponse("<html>", { status, headers });
  const stats = ["stats", "--site", "example.com"];

  it.each<
    [
      string,
      string[],
      Record<string, string>,
      (request: Request) => Response | Promise<Response>,
      number,
      ErrorCode,
    ]
  >([
    ["no key", stats, {}, api, 4, "no_api_key"],
    ["a placeholder", stats, { ...service, ANALYTICS_API_KEY: "changeme" }, api, 4, "invalid_api_key"],
    ["a wrong key", stats, { ...service, ANALYTICS_API_KEY: "wrong" }, api, 4, "invalid_api_key"],
    ["an unknown profile", [...stats, "--profile", "nope"], createHome(), api, 4, "no_api_key"],
    ["401", stats, service, page(401), 4, "invalid_api_key"],
    ["403", stats, service, page(403), 4, "invalid_api_key"],
    ["no address", stats, { ANALYTICS_API_KEY: DEMO_KEY }, api, 2, "no_base_url"],
    ["no address's form", stats, { ...service, ANALYTICS_BASE_URL: "x" }, api, 2, "invalid_base_url"],
    ["404", stats, service, page(404), 2, "not_found"],
    ["an unknown command", ["stat"], service, api, 2, "usage"],
    ["no such site", ["stats", "--site", "x"], service, api, 6, "site_not_found"],
    ["a redirect", stats, service, page(302, { location: "/login" }), 1, "redirected"],
    ["429", stats, service, page(429, { "retry-after": "3600" }), 1, "rate_limited"],
    ["500", stats, service, page(500), 1, "internal_error"],
    ["503", stats, service, page(503, { "retry-after": "3600" }), 1, "unavailable"],
    ["a web page", stats, service, page(200, { "content-type": "text/html" }), 1, "bad_answer"],
    [
      "text of no encoding",
      stats,
      service,
      () =>
        new HttpResponse(new Uint8Array([0x22, 0xff]), { headers: { "content-type": "application/json" } }),
      ...([1, "bad_answer"] as const),
    ],
    ["no connection", stats, service, () => HttpResponse.error() as Response, 5, "unreachable"],
  ])("%s", async (_, argv, environment, respond, exitCode, code) => {
    network.use(http.all(`${BASE}/*`, ({ request }) => respond(request)));
    const forPrograms = await runShell([...argv, "--json"], { environment });
    expect([forPrograms.code, forPrograms.stdout]).toEqual([exitCode, ""]);
    const { error } = JSON.parse(forPrograms.stderr);
    expect(error).toEqual({ code, message: expect.stringMatching(/\w/), hint: expect.stringMatching(/\w/) });
    const forPeople = await runShell(argv, { environment });
    expect(forPeople).toMatchObject({ code: exitCode, stdout: "" });
    expect(forPeople.stderr).toBe(`error: ${error.message}\nhint: ${error.hint}\n`);
    const { ANALYTICS_API_KEY: stdin, ...others } = environment;
    if (stdin === undefined) return;
    const piped = await runShell([...argv, "--api-key-stdin"], { environment: others, stdin });
    expect(piped.code).toBe(exitCode);
  });
});
