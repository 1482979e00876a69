import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { change, formatAddress, readAddress, readQuestion } from "../../src/view/address.ts";

const read = (address: string) => {
  const url = new URL(`http://host${address}`);
  return readAddress(url.pathname, url.searchParams);
};

describe("an address", () => {
  it("is read as it was written", () => {
    const name = fc.constantFrom("period", "filter", "against", "search");
    const given = fc
      .dictionary(name, fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }))
      .map((each) => new Map(Object.entries(each)));
    const site = fc.stringMatching(/^[a-z0-9:.\-ü]{1,20}$/).filter((text) => !/^\.+$/.test(text));
    const page = fc.constantFrom("", "pages", "utm_campaigns", "compare", "not-found");
    fc.assert(
      fc.property(site, page, given, (site, page, given) => {
        const address = { site, page, given };
        expect(read(formatAddress(address))).toEqual(address);
      }),
    );
  });

  it.each(["/example.com/nothing", "/a/b/c", "/%ff", "/example.com/constructor"])(
    "%s leads nowhere",
    (path) => {
      expect(read(path)).toBeUndefined();
    },
  );

  it("has the parameters of its query in the words of the command line, with 28 days by default", () => {
    const address = read("/example.com/timeseries?by=week&filter=countries=DE&filter=devices=mobile");
    if (address === undefined) throw new Error("There is no address.");
    const { query, texts, fit, others } = readQuestion(address);
    expect(fit).toEqual({ usesDefaultDays: true, takesNearDays: true });
    expect(query.name).toBe("timeseries");
    expect(Object.fromEntries(texts)).toEqual({
      site: ["example.com"],
      period: ["last_28_days"],
      interval: ["week"],
      filter: ["countries=DE", "devices=mobile"],
    });
    expect(others).toEqual([]);
    const { texts: later, ...named } = readQuestion(change(address, { period: undefined, days: ["7"] }));
    expect([later.get("days"), later.has("period"), named.fit.usesDefaultDays]).toEqual([
      ["7"],
      false,
      false,
    ]);
  });

  it.each([
    ["?period=last_28_days", true, true],
    ["?period=last_7_days", true, true],
    ["?period=this_year", false, true],
    ["?period=today", false, true],
    ["?period=all", false, false],
    ["/pages?period=all", false, true],
    ["?period=last_10_days", false, true],
    ["?period=2026-11-01/2026-11-07", false, true],
    ["/pages?period=2026-11-01/2026-11-07", false, true],
    ["/conversions?period=2026-11-01/2026-11-07", false, true],
  ])("%s is a number of days, or dates, or a list", (text, usesDefaultDays, takesNearDays) => {
    const address = read(`/example.com${text}`);
    expect(address && readQuestion(address).fit).toEqual({ usesDefaultDays, takesNearDays });
  });

  it("names parameters that no page knows, but not those of another page", () => {
    const question = (address: string) =>
      readQuestion(read(address) ?? { site: undefined, page: "", given: new Map() });
    expect(question("/example.com?perriod=today&by=week&goal=events%3Dsignup").others).toEqual(["perriod"]);
  });
});
