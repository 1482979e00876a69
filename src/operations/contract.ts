/** The version of the contract, as `info.version` of the OpenAPI document. */
export const CONTRACT_VERSION = "1.2.0";
/** All paths of the contract start with this. */
export const BASE_PATH = "/api/v1";
