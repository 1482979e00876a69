import { describe, expect, it } from "vitest";
import { createLineParser, detectFormat } from "../../../../../src/sources/logs/reading/formats/index.ts";
import { combined, createLogFolder, joinLines, openTestLogs } from "../../../../support/logs.ts";

const times = <T>(count: number, create: (n: number) => T) =>
  Array.from({ length: count }, (_, n) => create(n));

describe("a line behind a prefix", () => {
  it.each([
    ["of syslog", "Nov 21 04:04:10 web1 nginx: "],
    ["of syslog, with a level and a process", "<190>Nov  1 04:04:10 web1.example.net nginx[4711]: "],
    ["of syslog, from an address", "Nov 21 04:04:10 10.0.0.5 nginx: "],
    ["of syslog in its newer form", "<190>1 2026-11-21T04:04:10.123Z web1 nginx 4711 - - "],
    ["of systemd", "2026-11-21T04:04:10+00:00 web1 httpd[7]: "],
    ["of a container", "2026-11-21T04:04:10.123456789Z stdout F "],
    ["of several containers", "web_1  | "],
    ["of any kind", "web1 nginx: "],
  ])("%s is read", async (_, prefix) => {
    const lines = times(5, (n) => prefix + combined({ address: `192.0.2.${n}`, target: "/a" }));
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const logs = openTestLogs({ logs: [path("access.log")] });
    expect(await logs.count()).toEqual({ visitors: 5, pageviews: 5, events: 0 });
    expect((await logs.source.sites()).map(({ domain }) => domain)).toEqual(["example.com"]);
  });

  it("keeps the virtual host", async () => {
    const lines = times(
      3,
      (n) =>
        `Nov 21 04:04:10 web1 apache: ${combined({ address: `192.0.2.${n}`, host: "blog.example:443" })}`,
    );
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const logs = openTestLogs({ logs: [path("access.log")], site: [] });
    expect((await logs.source.sites()).map(({ domain }) => domain)).toEqual(["blog.example"]);
  });

  it("is not read if it has no address", () => {
    const line = `Nov 21 04:04:10 web1 nginx: ${combined({ address: "visitor.example" })}`;
    expect(detectFormat([line])).toEqual({ kind: "unknown" });
  });

  it("is not a host name in place of an address, or a user's name", () => {
    const parse = (line: string) => {
      const detected = detectFormat([line]);
      return detected.kind === "access" ? createLineParser(detected.format)(line) : undefined;
    };
    expect(parse(combined({ address: "visitor.example" }))).toMatchObject({
      address: "visitor.example",
      host: undefined,
    });
    expect(parse(combined().replace(" - - ", " - 10.0.0.1 "))).toMatchObject({ address: "192.0.2.1" });
    expect(parse(combined({ address: "laptop" }).replace(" - - ", " - Jo Doe "))).toMatchObject({
      address: "laptop",
    });
  });
});
