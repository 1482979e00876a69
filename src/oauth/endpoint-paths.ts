/** Where the authorization server answers, below its issuer. */
export const paths = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
  jwks: "/jwks",
  consent: "/consent",
} as const;
