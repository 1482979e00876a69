import { describe, expect, it } from "vitest";
import { createAgents } from "../../../../src/sources/logs/counting/agents.ts";

const { find } = createAgents();

describe("browsers whose words isbot takes for a bot's", () => {
  it.each([
    [
      "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; chromeframe/32.0.1700.107; SLCC2)",
      "desktop",
    ],
    ["Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0; chromeframe)", "desktop"],
    ["MAUI WAP Browser", "mobile"],
    ["LAVA KKT9s MAUI WAP Browser", "mobile"],
    ["Nokia5130/MAUI_WAP_Browser Profile/MIDP-2.0 Configuration/CLDC-1.1", "mobile"],
  ])("%s", (agent, device) => {
    expect(find(agent)).toMatchObject({ kind: "browser", device });
  });

  it.each([
    "Mozilla/5.0 (compatible; Googlebot/2.1; chromeframe)",
    "chromeframe-checker-bot/1.0",
    "MAUI WAP Browser; crawler",
  ])("a bot with such a word stays one: %s", (agent) => {
    expect(find(agent)).toMatchObject({ kind: "bot" });
  });
});

describe("Opera Mini is on a telephone", () => {
  it.each([
    ["Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; en) Presto/2.12.423 Version/12.16", "mobile"],
    [
      "Opera/9.80 (Android 2.3.3; Linux; Opera Mobi/ADR-1111101157; U; es-ES) Presto/2.9.201 Version/11.50",
      "mobile",
    ],
    [
      "Opera/9.80 (J2ME/MIDP; Opera Mini/9.80 (S60; SymbOS; Opera Mobi/23.348; U; en) Presto/2.5.25 Version/10.54",
      "mobile",
    ],
    ["Opera/9.80 (Android 4.1; Linux; Opera Tablet/ADR-1309251116) Presto/2.11.355 Version/12.10", "tablet"],
    ["Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18", "desktop"],
  ])("%s", (agent, device) => {
    expect(find(agent)).toMatchObject({ kind: "browser", device });
  });
});
