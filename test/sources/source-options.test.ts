import { expect, it } from "vitest";
import { hintOnTimezone } from "../../src/sources/source-options.ts";

it.each([
  [
    "UTC+2",
    "For UTC+2 all year, use Etc/GMT-2. If the clocks change, use the zone of a city, such as Europe/Berlin.",
  ],
  ["CET+1", "For UTC+1 all year, use Etc/GMT-1."],
  ["mesz+02:00", "For UTC+2 all year, use Etc/GMT-2."],
  [
    "GMT -5",
    "For UTC-5 all year, use Etc/GMT+5. If the clocks change, use the zone of a city, such as America/New_York.",
  ],
  ["+05:30", "Use the zone of a city, such as Europe/Berlin."],
  ["UTC+15", "Use the zone of a city, such as Europe/Berlin."],
  ["UTC+0", "Did you mean UTC?"],
  ["Berln", "Did you mean Europe/Berlin?"],
])("a timezone %s is answered with one that there is", (name, hint) => {
  expect(hintOnTimezone(name)).toContain(hint);
});
