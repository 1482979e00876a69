import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/** A unified diff that `patch` and `git apply` accept; empty when nothing changes. An empty file counts as new. */
export function formatDifference(name: string, before: string, after: string): string {
  if (before === after) return "";
  const old = before === "" ? "/dev/null" : name;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(old, name, before, after, undefined, undefined, options);
}
