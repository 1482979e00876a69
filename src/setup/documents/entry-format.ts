import type { Members, Value } from "../server-spec.ts";

/** A server's table in TOML. JSON strings are valid in TOML except for DEL. Lists and inline tables contain only strings. */
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

/** YAML in block style, with lists and strings as JSON, which is valid YAML. */
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
