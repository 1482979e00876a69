import { describe, expect, it } from "vitest";
import { normalizeSite, verifySite } from "../../src/operations/site-name.ts";

const site = { id: "site_7f3k", domain: "example.com" };

describe("an answer is about the requested site", () => {
  it.each([
    ["its domain", "example.com", site],
    ["its id", "site_7f3k", site],
    ["its id in another case", "SITE_7F3K", site],
    ["spaces around", " example.com ", site],
    ["another case", "Example.COM", site],
    ["a trailing dot", "example.com.", site],
    ["scheme, www., port and path", "https://www.example.com:8443/pricing?x#y", site],
    [
      "a domain that the service writes in its own way",
      "example.com",
      { id: "1", domain: "WWW.Example.com." },
    ],
    ["a domain with a path", "example.com/blog", { id: "1", domain: "example.com/blog" }],
    ["an international name in Unicode", "Bücher.example", { id: "1", domain: "xn--bcher-kva.example" }],
    ["an international name in ASCII", "xn--bcher-kva.example", { id: "1", domain: "bücher.example" }],
    ["a host of the network with a port", "http://localhost:3000/", { id: "1", domain: "localhost:3000" }],
    ["an app's name", "com.example.App", { id: "1", domain: "com.example.app" }],
    ["an id that looks like a number", "42", { id: "42", domain: "example.com" }],
    ["an id that looks like an address", "1.2", { id: "1.2", domain: "example.com" }],
    ["an id with a slash and spaces around", " acme/site ", { id: "acme/site", domain: "example.com" }],
    ["an id with a slash", "acme/site", { id: "acme/site", domain: "example.com" }],
  ])("%s", (_, asked, actual) => {
    expect(verifySite(actual, asked)).toBeUndefined();
  });

  it.each([
    ["another site", "example.org", site],
    ["a subdomain", "shop.example.com", site],
    ["the domain above", "example.com", { id: "2", domain: "shop.example.com" }],
    ["another id", "site_7f3", site],
    ["nothing", "example.com", { id: "", domain: "" }],
  ])("not %s", (_, asked, actual) => {
    expect(verifySite(actual, asked)).toBe(
      `it is about ${JSON.stringify(actual.domain)}, not ${JSON.stringify(asked)}`,
    );
  });
});

describe("a site as people write it becomes its domain", () => {
  it.each([
    ["//a.test", "a.test"],
    ["a.test//x", "a.test"],
    ["HTTPS://me@A.test:8443/x?y#z", "a.test"],
    ["www.a.test.", "a.test"],
    ["a.www.test", "a.www.test"],
    ["Site_7F3K/x", "Site_7F3K"],
    ["localhost?x", "localhost"],
    ["See https://A.test", "see https://a.test"],
  ])("%s", (written, domain) => expect(normalizeSite(written)).toBe(domain));
});
