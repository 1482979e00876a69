import type { OAuthClientProvider } from "@modelcontextprotocol/client";

/** What the SDKs of both generations keep of a sign-in, and how they are told where to send the person. */
export function createMemoryProvider(redirectUrl: string) {
  const kept: {
    client?: { client_id: string };
    tokens?: { access_token: string; refresh_token: string };
    verifier?: string;
    discovery?: object;
  } = {};
  /** Where the person was sent, in order. */
  const visits: URL[] = [];
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: "SDK client",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
    state: () => `state-${visits.length}`,
    clientInformation: () => kept.client,
    saveClientInformation: (client: object) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (url: URL) => void visits.push(url),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (discovery: object) => void Object.assign(kept, { discovery }),
    discoveryState: () => kept.discovery,
    invalidateCredentials: (scope: string) => {
      if (scope === "all" || scope === "client") delete kept.client;
      if (scope === "all" || scope === "tokens") delete kept.tokens;
      if (scope === "all" || scope === "verifier") delete kept.verifier;
      if (scope === "all" || scope === "discovery") delete kept.discovery;
    },
  };
  return { provider: provider as unknown as OAuthClientProvider, kept, visits };
}
