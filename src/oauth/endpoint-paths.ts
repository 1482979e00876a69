/** The authorization server's endpoints, relative to the issuer. */
export const paths = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  jwks: "/jwks",
  consent: "/consent",
} as const;
