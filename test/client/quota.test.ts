import { expect, it } from "vitest";
import { readQuota } from "../../src/client/quota.ts";

it.each<[Record<string, string>, object | undefined]>([
  [{}, undefined],
  [{ "ratelimit-policy": '"default";q=120;w=60' }, { requests: 120, seconds: 60 }],
  [{ "ratelimit-policy": '"default"; q=5' }, { requests: 5 }],
  [{ "ratelimit-policy": "100;w=3600" }, { requests: 100, seconds: 3_600 }],
  [{ "ratelimit-policy": '"day";q=1000;w=86400, "minute";q=6;w=60' }, { requests: 6, seconds: 60 }],
  // A call is repeated until such a window has passed.
  [{ "ratelimit-policy": '"burst";q=2;w=1, "hour";q=50;w=3600' }, { requests: 50, seconds: 3_600 }],
  [{ "ratelimit-policy": '"burst";q=2;w=1' }, undefined],
  [{ "ratelimit-policy": '"bytes";q=10;qu="content-bytes";w=60' }, undefined],
  [{ "ratelimit-policy": '"default";q=many' }, undefined],
  [{ "x-ratelimit-limit": "5" }, { requests: 5 }],
  [{ "ratelimit-limit": "10, 10;w=60" }, { requests: 10 }],
  [{ "x-ratelimit-limit": "none" }, undefined],
  [{ "x-ratelimit-limit": "9999999999" }, undefined],
  [
    { "x-ratelimit-limit": "5", "ratelimit-policy": '"default";q=9;w=60' },
    { requests: 9, seconds: 60 },
  ],
])("%j names the quota %j", (headers, quota) => {
  expect(readQuota(new Headers(headers))).toEqual(quota);
});
