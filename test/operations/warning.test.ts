import { describe, expect, it } from "vitest";
import { parseResult } from "../../src/client/result-parser.ts";
import { realtime } from "../../src/operations/index.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { showWarnings } from "../../src/operations/warning.ts";

const warning = { code: "stale", detail: "The log ends on 2026-11-19." };

describe("a service's warning", () => {
  const parse = (given: object) => {
    const site = { id: "site_7f3k", domain: "example.com" };
    const body = { site, visitors: 0, window_minutes: 5, as_of: "2026-11-21T05:05:10Z", warnings: [given] };
    return parseResult(realtime, { site: site.domain }, JSON.stringify(body)).warnings;
  };

  it("may have only a code and a text", () => {
    expect(parse(warning)).toEqual([warning]);
  });

  it("keeps its values, and loses members that are not in the contract", () => {
    const values = { data_until: "2026-11-19", days: 2, data_since: null };
    expect(parse({ ...warning, values, severity: "low" })).toEqual([{ ...warning, values }]);
  });

  it.each([[["2026-11-19"]], ["2026-11-19"], [{ days: ["2026-11-19"] }], [{ "2026-11-19": true }], [null]])(
    "loses a member that only has the name of the values: %j",
    (values) => {
      expect(parse({ ...warning, values })).toEqual([warning]);
    },
  );

  it("is shown in its own words, whatever its values", () => {
    const given = { ...warning, values: { data_until: "2026-11-20" } };
    expect(formatNotes(showWarnings([given]), "people")).toEqual([warning.detail]);
  });
});
