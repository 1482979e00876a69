import { clickhouse } from "./clickhouse.ts";
import { demo } from "./demo.ts";
import { logs } from "./logs.ts";
import type { LocalKind, SourceOption } from "./source-types.ts";

/** All kinds of data sources in this process. To add one, write its module and list it here. */
export const localKinds: readonly LocalKind[] = [demo, logs, clickhouse];

/** All options of a source, the one that chooses it first. */
export const optionsOf = ({ option, settings = [] }: LocalKind): readonly SourceOption[] => [
  option,
  ...settings,
];

/** What the reference API serves unless another source is chosen. */
export const exampleKind = demo;
