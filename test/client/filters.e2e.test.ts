import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queries } from "../../src/reports/queries.ts";
import { DEMO_KEY } from "../support/api.ts";
import { answerRightly, type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import { share } from "../support/seed.ts";
import { runShell } from "../support/shell.ts";

/** Every query that takes a filter, of days until today and of a period that is over. */
const COMMANDS = [
  ["stats"],
  ["stats", "--period", "last-week"],
  ["timeseries"],
  ["timeseries", "--period", "last-week"],
  ["timeseries", "--by", "month", "--period", "this-month"],
  ["breakdown", "--dimension", "pages"],
  ["breakdown", "--dimension", "countries", "--period", "last-week"],
  ["realtime"],
  ["overview"],
  ["overview", "--period", "last-week"],
  ["compare"],
  ["compare", "--period", "last-week", "--dimension", "events"],
  ["report", "-o", "-"],
].map((words) => words.join(" "));
/** A goal is a condition, too. */
const CONVERSIONS = [
  "conversions --goal events=signup",
  "conversions --goal events=signup --by countries --period last-week",
];

const FILTER = ["--filter", "countries=DE", "--filter", "pages!=/docs/*"];
/** Beside a goal, only visits can be chosen. */
const OF_VISITS = ["--filter", "countries=DE", "--filter", "visit:pages!=/docs/*"];

type Parameters = { name: string }[];
interface Description {
  paths: Record<string, { get?: { parameters?: Parameters } }>;
}

/** An OpenAPI document without some parameters of some paths. */
const hide =
  (names: readonly string[], isHidden: (path: string) => boolean = () => true) =>
  (text: string) => {
    const description = JSON.parse(text) as Description;
    for (const [path, { get }] of Object.entries(description.paths)) {
      if (get?.parameters && isHidden(path))
        get.parameters = get.parameters.filter(({ name }) => !names.includes(name));
    }
    return JSON.stringify(description);
  };

interface Service {
  /** Changes its OpenAPI document. */
  describe?: (text: string) => string;
  /** Changes what it understands of a request. */
  understand?: (url: URL) => void;
}

const answers = new Map<string, ReturnType<typeof answerRightly>>();
/** The reference API's clock stands still, so it answers the same question the same way each time, and is asked once. */
function answerOnce({ pathname, search }: URL, { accept }: IncomingMessage["headers"]) {
  const url = `${pathname}${search}`;
  const question = JSON.stringify([url, accept]);
  const answer = answers.get(question) ?? answerRightly({ url, headers: { accept } });
  answers.set(question, answer);
  return answer;
}

/** The reference API on a port, with a fault. */
function startService({ describe = (text) => text, understand = () => {} }: Service) {
  const answer = async ({ url = "", headers }: IncomingMessage, response: ServerResponse) => {
    const asked = new URL(url, "http://x");
    understand(asked);
    const { status, headers: sent, body } = await answerOnce(asked, headers);
    const isDescription = asked.pathname.endsWith("/openapi.json");
    const type = { "content-type": sent["content-type"] ?? "" };
    send(response, status, type, isDescription ? describe(body) : body);
  };
  return startServer((request, response) => void answer(request, response));
}

const ignore = (url: URL) => url.searchParams.delete("filter");

let services: FaultyServer[] = [];
async function open(service: Service): Promise<FaultyServer> {
  const server = await startService(service);
  services.push(server);
  return server;
}
afterAll(() => {
  for (const server of services) server.close();
  services = [];
});

const ask = (server: FaultyServer, command: string, given?: string[]) => {
  const [name = "", ...words] = command.split(" ");
  const filter = given ?? (name === "conversions" ? OF_VISITS : FILTER);
  const environment = { ANALYTICS_API_KEY: DEMO_KEY, ANALYTICS_BASE_URL: server.origin };
  return runShell([name, "example.com", ...words, ...filter], { environment });
};
const listCounted = ({ requests }: FaultyServer) =>
  requests.map(({ url = "" }) => url).filter((url) => /\/(stats|timeseries|breakdown|realtime)\?/.test(url));

it("every query that takes a filter is asked here", () => {
  const named = [...COMMANDS, ...CONVERSIONS].map((command) => command.split(" ")[0]);
  const filtered = queries.filter(({ params }) => "filter" in params.shape).map(({ name }) => name);
  expect(named).toEqual(expect.arrayContaining(filtered));
});

describe.each<[string, number, Service]>([
  ["whose OpenAPI document has no filter", 0, { describe: hide(["filter"]), understand: ignore }],
  [
    "whose OpenAPI document has neither filter nor from and to",
    1,
    { describe: hide(["filter", "from", "to"]), understand: ignore },
  ],
  ["without an OpenAPI document", 2, { describe: () => "", understand: ignore }],
])("a service %s", (_, turn, service) => {
  let server: FaultyServer;
  beforeAll(async () => {
    server = await open(service);
  });

  it.each(share([...COMMANDS, ...CONVERSIONS], 3, turn))(
    "is not asked for any number of %s",
    async (command) => {
      const { code, stdout, stderr } = await ask(server, command);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("cannot be used: this service does not offer filters.");
      expect(listCounted(server)).toEqual([]);
    },
  );
});

it("a service without interval is not asked for hours", async () => {
  const server = await open({ describe: hide(["interval"]) });
  const { code, stdout, stderr } = await ask(server, "timeseries --by hour --days 1", []);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--by cannot be hour: this service only has days");
  expect(listCounted(server)).toEqual([]);
  expect((await ask(server, "timeseries --by week --days 9", [])).code).toBe(0);
});

it("a service that filters everything but breakdowns is refused where one is needed", async () => {
  const server = await open({
    describe: hide(["filter"], (path) => path.endsWith("/breakdown")),
  });
  for (const command of ["breakdown --dimension pages", "overview", "compare", "report -o -"]) {
    const { code, stdout, stderr } = await ask(server, command);
    expect([command, code, stdout]).toEqual([command, 2, ""]);
    expect(stderr).toContain("does not offer filters");
  }
  expect((await ask(server, "stats")).code).toBe(0);
});

describe.each<[string, number, Service["describe"]]>([
  ["a service", 0, undefined],
  ["a service without from and to", 1, hide(["from", "to"])],
])("%s that", (_, turn, describe) => {
  const faults: [string, Required<Service>["understand"], RegExp][] = [
    ["ignores the filter", ignore, /does not say that it is filtered by countries=DE and pages!=\/docs\/\*/],
    [
      "ignores one condition",
      (url) => url.searchParams.delete("filter", "pages!=/docs/*"),
      /it is filtered by countries=DE, not by countries=DE and pages!=/,
    ],
    [
      "takes one condition for another",
      (url) => {
        if (url.searchParams.has("filter")) url.searchParams.set("filter", "countries=FR");
      },
      /it is filtered by countries=FR, not by countries=DE and /,
    ],
  ];
  it.each(
    faults.flatMap(([fault, understand, reason], index) =>
      share(COMMANDS, 6, 3 * turn + index).map((command) => ({ fault, command, understand, reason })),
    ),
  )("$fault shows nothing of $command", async ({ command, understand, reason }) => {
    const server = await open({ understand, ...(describe && { describe }) });
    const { code, stdout, stderr } = await ask(server, command);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(reason);
  });

  const combined = ["overview", "compare", "report -o -"];
  it.each(["stats", "timeseries", "breakdown", "realtime"].map((path, index) => [path, index] as const))(
    "ignores the filter of %s alone shows nothing that needs it",
    async (path, index) => {
      const server = await open({
        understand: (url) => {
          if (url.pathname.endsWith(`/${path}`)) ignore(url);
        },
        ...(describe && { describe }),
      });
      const isNeeded = (command: string) => command.startsWith(path);
      const own = share(COMMANDS.filter(isNeeded), 2, turn);
      for (const command of [...own, ...share(combined, 3, index + turn)]) {
        // A comparison without events needs no stats.
        if (path === "stats" && command === "compare") continue;
        const { stdout, stderr } = await ask(server, command);
        if (path === "breakdown" && !isNeeded(command)) {
          // The totals are filtered; the lists are named as missing.
          expect(stderr + stdout).toMatch(
            /Not (shown|compared): pages, [^.]*\. The answer to \/breakdown breaks/,
          );
          expect(stdout).not.toContain("/pricing");
        } else expect([command, stdout]).toEqual([command, ""]);
      }
    },
  );

  it.each(share(COMMANDS, 2, turn))(
    "filters everything is asked for it by each part of %s",
    async (command) => {
      const server = await open({ ...(describe && { describe }) });
      // Of what is to be left out, a look-up without the filter says whether it occurs.
      const conditions = ["countries=DE", "pages=/docs/*"];
      const filtered = await ask(
        server,
        command,
        conditions.flatMap((each) => ["--filter", each]),
      );
      expect(filtered.code).toBe(0);
      // So does one of what nobody has read in the last minutes.
      const isLookUp = (url: string) => command.startsWith("realtime") && url.includes("/breakdown?");
      const counted = listCounted(server).filter((url) => !isLookUp(url));
      expect(counted.length).toBeGreaterThan(0);
      for (const url of counted)
        expect(new URL(url, server.origin).searchParams.getAll("filter")).toEqual(conditions);
      expect((await ask(server, command, [])).stdout).not.toBe(filtered.stdout);
    },
  );

  it.each(share(CONVERSIONS, 2, turn))("ignores the goal of %s shows nothing of it", async (command) => {
    const server = await open({
      understand: (url) => url.searchParams.delete("filter", "events=signup"),
      ...(describe && { describe }),
    });
    const { code, stdout, stderr } = await ask(server, command);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /it is filtered by countries=DE and visit:pages!=\S+, not by countries=DE and events=signup and visit:/,
    );
  });

  it.each(share(CONVERSIONS, 2, turn + 1))(
    "filters everything is asked with and without the goal of %s",
    async (command) => {
      const server = await open({ ...(describe && { describe }) });
      expect((await ask(server, command)).code).toBe(0);
      const asked = listCounted(server).map((url) =>
        new URL(url, server.origin).searchParams.getAll("filter"),
      );
      const filters = [...new Set(asked.map((conditions) => conditions.join(" ")))].filter(
        (text) => text !== "",
      );
      expect(filters).toEqual([
        "countries=DE visit:pages!=/docs/*",
        "countries=DE events=signup visit:pages!=/docs/*",
      ]);
    },
  );
});
