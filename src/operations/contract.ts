/** The version of the contract, as `info.version` of the OpenAPI document. */
export const CONTRACT_VERSION = "1.0.0";
/** Every path of the contract stands below this one. */
export const BASE_PATH = "/api/v1";
