import type { Members, Value } from "../server-spec.ts";

/** A server's table in TOML. JSON strings are valid in TOML except for DEL. Lists and inline tables contain only strings. */
export function formatTomlTable(serversKey: string, name: string, value: Members): string {
  const lines = Object.entries(value).map(([key, member]) => `${key} = ${formatTomlValue(member)}\n`);
  return `[${serversKey}.${name}]\n${lines.join("")}`;
}

function formatTomlValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(formatTomlValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${key} = ${formatTomlValue(member)}`)
    .join(", ")} }`;
}

/** YAML in block style, with lists of words and strings as JSON, which is valid YAML. */
export const formatYaml = (value: Members, indent = ""): string =>
  Object.entries(value)
    .map(([key, member]) => {
      const items = Array.isArray(member) ? member.filter(isFilled) : [];
      if (items.length > 0)
        return `${indent}${key}:\n${items.map((item) => formatItem(item, indent)).join("")}`;
      return isFilled(member)
        ? `${indent}${key}:\n${formatYaml(member, `${indent}  `)}`
        : `${indent}${key}: ${formatYamlValue(member)}\n`;
    })
    .join("");

const isFilled = (value: Value): value is Members =>
  typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0;

/** An item of a list: its first line starts with a dash. */
const formatItem = (item: Members, indent: string): string =>
  `${indent}  - ${formatYaml(item, `${indent}    `).trimStart()}`;

function formatYamlValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  const isPlain =
    typeof value === "string" &&
    /^[A-Za-z]\w*( \w+)*$/.test(value) &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
