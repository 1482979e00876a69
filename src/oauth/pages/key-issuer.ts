export interface KeyOrigin {
  /** Where the key is from: the origin of the analytics service, or a description of the data. */
  service: string;
  /** The web page where people create their keys: http or https. */
  dashboardUrl?: string | undefined;
  /** Where a service with an API of its own keeps people's keys: `Settings, Personal, Security, Auth tokens`. */
  keyPlace?: string | undefined;
  /** A key that anyone may know. */
  publicKey?: string | undefined;
}

/** Who gives people their keys and takes them back: nobody, whoever runs this server, a page that the operator
 * named, or a service, which may have no page for them. */
export function findKeyIssuer({ service, dashboardUrl, publicKey }: KeyOrigin) {
  if (publicKey !== undefined) return "nobody";
  // Data on this server has no dashboard of its own.
  if (dashboardUrl !== undefined) return "page";
  return URL.canParse(service) ? "service" : "operator";
}
