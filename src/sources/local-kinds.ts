import { demo } from "./demo.ts";
import type { LocalKind } from "./source-types.ts";

/** Every kind of source that answers in this process: a module, and a line here. */
export const localKinds: readonly LocalKind[] = [demo];

/** What the reference API serves where nothing else is named. */
export const exampleKind = demo;
