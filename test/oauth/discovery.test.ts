import { expect, it } from "vitest";
import {
  buildResourceMetadata,
  buildServerMetadata,
  isResourceMetadataPath,
  isServerMetadataPath,
} from "../../src/oauth/discovery.ts";

const addresses = { issuer: "https://mcp.example", resource: "https://mcp.example/mcp" };

it("the authorization server lists what it supports, and no more (RFC 8414, section 2)", () => {
  const without = {
    issuer: "https://mcp.example",
    authorization_endpoint: "https://mcp.example/authorize",
    token_endpoint: "https://mcp.example/token",
    revocation_endpoint: "https://mcp.example/revoke",
    jwks_uri: expect.stringMatching(/^https:\/\/mcp\.example\/[\w/.-]+$/),
    scopes_supported: ["analytics:read"],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: [
      "none",
      "client_secret_post",
      "client_secret_basic",
      "private_key_jwt",
    ],
    token_endpoint_auth_signing_alg_values_supported: ["ES256", "RS256", "EdDSA"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
  expect(buildServerMetadata(addresses, { registration: false, clientDocuments: true })).toEqual(without);
  const registration_endpoint = "https://mcp.example/register";
  const both = { registration: true, clientDocuments: true };
  expect(buildServerMetadata(addresses, both)).toEqual({ ...without, registration_endpoint });
  expect(buildServerMetadata(addresses, { registration: true, clientDocuments: false })).toEqual({
    ...without,
    registration_endpoint,
    client_id_metadata_document_supported: false,
  });
});

it("the resource names its authorization server (RFC 9728, section 2)", () => {
  expect(buildResourceMetadata(addresses)).toEqual({
    resource: "https://mcp.example/mcp",
    authorization_servers: ["https://mcp.example"],
    scopes_supported: ["analytics:read"],
    bearer_methods_supported: ["header"],
    resource_name: "Web Analytics",
  });
});

const SERVER = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
const RESOURCE = "/.well-known/oauth-protected-resource";
const around = (path: string) => [path, `${path}/`, `${path}/mcp`, `${path}/mcp/`, `/mcp${path}`];

it("both are where applications look, and nowhere else", () => {
  for (const path of SERVER.flatMap(around)) expect([path, isServerMetadataPath(path)]).toEqual([path, true]);
  for (const path of around(RESOURCE)) expect([path, isResourceMetadataPath(path)]).toEqual([path, true]);
  for (const path of [...SERVER, RESOURCE].flatMap((known) => [
    `/x${known}`,
    `${known}/x`,
    `${known}x`,
    `${known}/mcp/x`,
  ])) {
    expect([path, isServerMetadataPath(path), isResourceMetadataPath(path)]).toEqual([path, false, false]);
  }
});
