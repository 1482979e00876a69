import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { findStateFolder } from "../../config/folders.ts";
import { replaceFile } from "../../config/replace-file.ts";
import type { Environment } from "../../config/variables.ts";
import { once } from "../../operations/schemas.ts";
import { type FieldMapping, type Learned, learned } from "./field-mapping.ts";

/** What was learned about a service, kept between processes. */
export interface LearnedMemory {
  /** Undefined if nothing is kept, if it is too old, or if it cannot be read. */
  read(): Learned | undefined;
  /** Does nothing where files cannot be written: the service is then read anew by the next process. */
  keep(value: Learned): void;
  forget(): void;
}

const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const kept = once(() => z.strictObject({ format: z.literal(2), at: z.number(), learned: learned() }));

/**
 * Opens what is kept about a service. Only the same key for the same address finds it again; the file has neither. What was
 * learned by one mapping is nothing that another one can use.
 */
export function openLearnedMemory(
  { environment, clock }: { environment: Environment; clock: () => number },
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  mapping?: FieldMapping | undefined,
): LearnedMemory {
  const state = findStateFolder(environment);
  const name = createHash("sha256")
    .update(JSON.stringify([baseUrl, apiKey, ...(mapping === undefined ? [] : [mapping])]))
    .digest("hex")
    .slice(0, 32);
  const folder = state && join(state, "services");
  const file = folder && join(folder, `${name}.json`);
  return {
    read: () => {
      if (file === undefined) return undefined;
      try {
        const { at, learned } = kept().parse(JSON.parse(readFileSync(file, "utf8")));
        const age = clock() - at;
        // A clock that was set back would keep it for too long.
        return age >= 0 && age < MAX_AGE_MS ? learned : undefined;
      } catch {
        return undefined;
      }
    },
    keep: (value) => {
      if (folder === undefined || file === undefined) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        replaceFile(file, JSON.stringify({ format: 2, at: clock(), learned: value }));
      } catch {
        // A folder that cannot be written, or a full disk.
      }
    },
    forget: () => {
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}
