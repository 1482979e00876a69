/** The only scope: some applications cannot request another scope later. */
export const SCOPE = "analytics:read";

/** The authorization server's endpoints, relative to the issuer. */
export const paths = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  jwks: "/jwks",
  consent: "/consent",
} as const;

/** Both come from the public URL; the `Host` header is ignored. */
export interface Addresses {
  /** The origin at which people and applications reach the server. */
  issuer: string;
  /** The address of `/mcp`. */
  resource: string;
}

/** Metadata of the authorization server (RFC 8414). */
export function buildServerMetadata(
  { issuer }: Addresses,
  { registration, clientDocuments }: { registration: boolean; clientDocuments: boolean },
) {
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorization,
    token_endpoint: issuer + paths.token,
    ...(registration && { registration_endpoint: issuer + paths.registration }),
    revocation_endpoint: issuer + paths.revocation,
    jwks_uri: issuer + paths.jwks,
    scopes_supported: [SCOPE],
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
    client_id_metadata_document_supported: clientDocuments,
    // Required by OpenID Connect Discovery, which some applications use.
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}

/** Metadata of the resource that the tokens are for (RFC 9728). */
export const buildResourceMetadata = ({ issuer, resource }: Addresses) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ["header"],
  resource_name: "Web Analytics",
});

/** Applications look for the metadata before `/mcp`, after it, and without it. */
export const isServerMetadataPath = (path: string): boolean =>
  /^(\/mcp)?\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/mcp)?\/?$/.test(path);

export const isResourceMetadataPath = (path: string): boolean =>
  /^(\/mcp)?\/\.well-known\/oauth-protected-resource(\/mcp)?\/?$/.test(path);
