import { readErrorCode } from "../errors.ts";
import { readMember } from "../member.ts";

/** What the system's most frequent codes mean, said of a file or an address. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  ENXIO: "it is a pipe, a socket or a device",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "there is a file of that name",
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "its disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reports an error",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "this machine has no such address",
};

/** Why the system refused, as the end of a sentence: "it does not exist" for ENOENT, otherwise the code. */
export function explainSystemError(cause: unknown): string {
  const code = readErrorCode(cause) ?? String(cause);
  return readMember(REASONS, code) ?? code;
}
