import { createTestApi, DEMO_KEY } from "../../support/api.ts";
import { createService, type Service } from "./service.ts";
import type { Truth } from "./truth.ts";

/** The reference API itself, as a service to judge: nothing is reshaped. */
export async function createContractService(truth: Truth): Promise<Service> {
  const { api } = createTestApi({ start: truth.now });
  const service = await createService(truth, "contract", {
    sites: { form: "objects", hasDomain: true, ids: "slug", pages: "all" },
    stats: { asList: false, rival: undefined },
    series: { form: "objects", dates: "date", omits: false },
    rows: { form: "objects", counts: "both" },
    realtime: { form: "field" },
    timezone: "sites",
    hasEvents: true,
    visitors: "daily",
    unclear: "none",
    isQuiet: false,
    breakdownDays: "described",
    description: "full",
    days: "any",
    lastDay: "today",
    dimensionParam: "plural",
  });
  const apiKey = DEMO_KEY;
  const baseUrl = "https://stats.example.test/api/v1";
  const keySentence = "The API key is not valid";
  const fetch: Service["fetch"] = async (url, { headers, signal }) => {
    service.asked.push(url.slice(baseUrl.length));
    const response = await api(new Request(url, { headers, signal }));
    return { ...pickHead(response), body: [new Uint8Array(await response.arrayBuffer())] };
  };
  return { ...service, apiKey, baseUrl, keySentence, fetch };
}

const pickHead = ({ status, headers }: Response) => ({ status, headers });
