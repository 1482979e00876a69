import { describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../src/errors.ts";
import type { Call } from "../../../src/operations/call.ts";
import { addDays } from "../../../src/operations/days.ts";
import { createTestApi, NOW } from "../../support/api.ts";
import { createContractService } from "./contract-service.ts";
import { judge, type Open } from "./judge.ts";
import { spellNames } from "./names.ts";
import { createService, type Service, siteValue } from "./service.ts";
import { drawShape } from "./shape.ts";
import { readTruth } from "./truth.ts";
import { concepts, isHeldBack, listApis, listWords, spell, splitWord } from "./words.ts";

const truth = readTruth(NOW);

async function read(service: Service, path: string): Promise<unknown> {
  const { status, body } = await service.fetch(`${service.baseUrl}${path}`, {
    headers: { Authorization: `Bearer ${service.apiKey}` },
    signal: new AbortController().signal,
  });
  if (status === 401) throw new AnalyticsError("invalid_api_key", service.keySentence);
  expect(status, path).toBe(200);
  return JSON.parse(Buffer.concat([...(body as Uint8Array[])]).toString());
}

describe("the words", () => {
  it("are of at least 20 public APIs", () => {
    expect(listApis().length).toBeGreaterThanOrEqual(20);
  });

  it("are held back for a third", () => {
    const words = concepts.flatMap((concept) => listWords(concept, true));
    const share = words.filter(isHeldBack).length / words.length;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.42);
    const [word = ""] = listWords("visitors", true).filter(isHeldBack);
    expect(listWords("visitors", false)).not.toContain(word);
  });

  it("are split and spelled again", () => {
    expect(
      ["screenPageViews", "nb_uniq_visitors", "userAgentOS", "visitors-online", "date1"].map(splitWord),
    ).toEqual(["screen page views", "nb uniq visitors", "user agent os", "visitors online", "date 1"]);
    expect(spell("page views", "camel")).toBe("pageViews");
    expect(spell("page views", "upper")).toBe("PAGE_VIEWS");
  });
});

describe("a generated service", () => {
  it("is the same for the same seed", async () => {
    const [one, other] = await Promise.all([createService(truth, "a"), createService(truth, "a")]);
    expect(other.shape).toEqual(one.shape);
    const path = `/stats?site=${encodeURIComponent(siteValue(one.site, one.shape))}&days=7`;
    expect(await read(other, path)).toEqual(await read(one, path));
    expect(drawShape("b")).not.toEqual(drawShape("a"));
  });

  it("has the numbers of the reference API", async () => {
    const service = await createService(truth, "numbers", {
      isQuiet: false,
      visitors: "daily",
      lastDay: "today",
    });
    const { ask } = createTestApi();
    const { id } = service.site.site;
    for (const days of [1, 7, 30]) {
      const { body } = await ask(`/api/v1/stats?site=${id}&days=${days}`);
      const { visitors, pageviews, events } = body;
      expect(await service.totals(days)).toEqual({ visitors, pageviews, events });
    }
    const { points } = (await ask(`/api/v1/timeseries?site=${id}&days=7`)).body as { points: object[] };
    expect(points).toEqual((await service.days(7)).map((day) => expect.objectContaining(day)));
    const { rows } = (await ask(`/api/v1/breakdown?site=${id}&dimension=pages&days=7`)).body as {
      rows: object[];
    };
    const own = await service.rows("pages", 7);
    expect(rows).toEqual(own.slice(0, 10).map((row) => expect.objectContaining(row)));
    expect(await service.active()).toBe((await ask(`/api/v1/realtime?site=${id}`)).body.visitors);
  });

  it("answers with each true number under its name", async () => {
    for (let index = 0; index < 25; index++) {
      const service = await createService(truth, `names ${index}`, { stats: { asList: false } });
      const { shape } = service;
      const say = spellNames(shape);
      const site = encodeURIComponent(siteValue(service.site, shape));
      const text = JSON.stringify(await read(service, `/stats?site=${site}&days=7`));
      const { visitors, pageviews } = await service.totals(7);
      for (const [name, number] of [
        [say.visitors, visitors],
        [say.pageviews, pageviews],
      ] as const) {
        const forms = [`${number}`, `"${number}"`, `{"${say(shape.names.current)}":${number},`];
        expect(
          forms.some((form) => text.includes(`"${name}":${form}`)),
          `${text} ${name} ${number}`,
        ).toBe(true);
      }
    }
  });

  it("can be judged in every shape", async () => {
    for (let index = 0; index < 30; index++) {
      const service = await createService(truth, `judged ${index}`);
      const verdicts = await judge(service, () => refuseAll);
      expect(verdicts.length).toBeGreaterThan(15);
      expect(verdicts.filter(({ outcome }) => outcome === "right")).toEqual([]);
    }
  });
});

const refuseAll: Call = async () => {
  throw new AnalyticsError("bad_answer", "Not read.");
};

describe("the judge", () => {
  it("finds nothing wrong with the product on the reference API", async () => {
    const service = await createContractService(truth);
    const verdicts = await judge(service);
    const answerable = verdicts.filter(({ isAnswerable }) => isAnswerable);
    expect(answerable.filter(({ outcome }) => outcome !== "right")).toEqual([]);
    expect(answerable.length).toBeGreaterThan(20);
    expect(verdicts.filter(({ outcome }) => outcome === "wrong")).toEqual([]);
  });

  const plain = {
    metric: "number" as const,
    stats: { asList: false, container: undefined, previous: undefined, rival: undefined },
    envelope: [],
    extras: 4,
    hasUsers: false,
    unclear: "none" as const,
    isQuiet: false,
    lastDay: "today" as const,
    series: { omits: false },
  };

  it.each<[string, object, (numbers: Numbers, service: Service) => Partial<Totals>]>([
    ["takes the first numbers", {}, (numbers) => pickNumbers([...numbers.values()])],
    [
      "takes visits for visitors",
      {},
      (numbers) => ({ visitors: findNumber(numbers, /^(nb )?visits$|sessions|hits/) }),
    ],
    ["fills in 0 for events", { hasEvents: false }, () => ({ events: 0 })],
  ])("catches a reader that %s", async (_, settings, take) => {
    const outcomes: string[] = [];
    for (let index = 0; index < 20; index++) {
      const service = await createService(truth, `wrong ${index}`, { ...plain, ...settings });
      const verdicts = await judge(service, readWrongly(take));
      outcomes.push(
        ...verdicts.filter(({ question }) => question === "stats 7 days").map(({ outcome }) => outcome),
      );
    }
    expect(outcomes).toContain("wrong");
  });

  it("agrees with a reader that is right", async () => {
    for (let index = 0; index < 20; index++) {
      const service = await createService(truth, `right ${index}`, plain);
      const say = spellNames(service.shape);
      const verdicts = await judge(
        service,
        readWrongly((numbers) => ({
          visitors: numbers.get(say.visitors),
          pageviews: numbers.get(say.pageviews),
          events: numbers.get(say.events),
        })),
      );
      const asked = verdicts.filter(
        ({ question, isAnswerable }) => question === "stats 7 days" && isAnswerable,
      );
      expect(asked.filter(({ outcome }) => outcome !== "right")).toEqual([]);
      expect(asked.length).toBeGreaterThanOrEqual(2);
    }
  });
});

type Numbers = Map<string, number>;
type Totals = Record<"visitors" | "pageviews" | "events", number | undefined>;

const pickNumbers = ([visitors, pageviews, events]: number[]) => ({ visitors, pageviews, events });
const findNumber = (numbers: Numbers, pattern: RegExp) =>
  [...numbers].find(([name]) => pattern.test(splitWord(name)))?.[1];

/** A reader of totals alone. */
const readWrongly =
  (take: (numbers: Numbers, service: Service) => Partial<Totals>): Open =>
  (service) => {
    const call = async ({ name }: { name: string }, params: { days?: number }) => {
      const { days } = params;
      if (name !== "stats" || days === undefined) return refuseAll({} as never, {} as never);
      const { site, shape } = service;
      const answer = await read(
        service,
        `/stats?site=${encodeURIComponent(siteValue(site, shape))}&days=${days}`,
      );
      const members = Object.entries(answer as object).filter(([, value]) => typeof value === "number");
      const to = truth.today(site.site);
      const as_of = new Date(truth.now).toISOString();
      return {
        site: { id: String(site.id), domain: site.site.domain },
        period: { from: addDays(to, 1 - days), to, days, as_of },
        ...take(new Map(members as [string, number][]), service),
      };
    };
    return call as unknown as Call;
  };
