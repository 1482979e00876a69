import type { Members, Value } from "../server-spec.ts";

/** A server's table for TOML. JSON's strings are strings of TOML, but for DEL; the lists and inline tables hold strings alone. */
export function formatTomlTable(at: string, name: string, value: Members): string {
  const lines = Object.entries(value).map(([key, each]) => `${key} = ${formatTomlValue(each)}\n`);
  return `[${at}.${name}]\n${lines.join("")}`;
}

function formatTomlValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(formatTomlValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key} = ${formatTomlValue(each)}`)
    .join(", ")} }`;
}

/** YAML in blocks, its lists and texts as JSON, which YAML takes. */
export function formatYaml(value: Members, indent = ""): string {
  return Object.entries(value)
    .map(([key, each]) =>
      typeof each === "object" && !Array.isArray(each) && Object.keys(each).length > 0
        ? `${indent}${key}:\n${formatYaml(each, `${indent}  `)}`
        : `${indent}${key}: ${formatYamlValue(each)}\n`,
    )
    .join("");
}

function formatYamlValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
  const isPlain =
    typeof value === "string" &&
    /^[A-Za-z]\w*( \w+)*$/.test(value) &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
