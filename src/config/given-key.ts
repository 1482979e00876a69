import { readFileSync, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { AnalyticsError, quotePath } from "../errors.ts";
import type { AccessFlags, GivenKey } from "./access.ts";
import { readApiKey } from "./api-key.ts";
import { describeExposure, isReadableByOthers } from "./file-permissions.ts";
import { explainSystemError } from "./system-error.ts";

const MAX_CHARACTERS = 10_000;

/**
 * Reads the key from `--api-key-file` or `--api-key-stdin`. No option takes a key itself, because other users of a
 * machine can see the arguments of every process, and shells write them into their history. Throws AnalyticsError
 * `usage`, `no_api_key` or `invalid_api_key`.
 *
 * @param where As for `readApiKey`.
 */
export async function readGivenKey(
  { apiKeyFile, apiKeyStdin }: AccessFlags,
  stdin: Readable & { isTTY?: boolean },
  where?: string,
): Promise<GivenKey | undefined> {
  if (apiKeyFile !== undefined && apiKeyStdin) {
    throw new AnalyticsError("usage", "Use --api-key-file or --api-key-stdin, not both.");
  }
  if (apiKeyFile !== undefined) return readKeyFile(apiKeyFile, where);
  return apiKeyStdin ? readKeyStream(stdin, where) : undefined;
}

function readKeyFile(file: string, where: string | undefined): GivenKey {
  const source = "--api-key-file";
  try {
    const text = readFileSync(file, "utf8");
    // A shell's <(command) is a pipe, which other users cannot open.
    const isOpen = statSync(file).isFile() && isReadableByOthers(file);
    return {
      apiKey: readApiKey(text, source, where),
      source,
      warnings: isOpen ? [describeExposure(file)] : [],
    };
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause;
    throw new AnalyticsError(
      "no_api_key",
      `--api-key-file ${quotePath(file)} cannot be read: ${explainSystemError(cause)}.`,
      {
        hint: file.startsWith("~") ? "Write the full path: only a shell expands ~." : "Check the path.",
        cause,
      },
    );
  }
}

async function readKeyStream(
  stdin: Readable & { isTTY?: boolean },
  where: string | undefined,
): Promise<GivenKey> {
  const source = "--api-key-stdin";
  if (stdin.isTTY) {
    throw new AnalyticsError(
      "usage",
      "--api-key-stdin reads from a pipe or a file, but this is a terminal.",
      {
        hint: "In a terminal, analytics-mcp login asks for the key without showing it.",
      },
    );
  }
  const text = texts.get(stdin) ?? readText(stdin, source);
  texts.set(stdin, text);
  return { apiKey: readApiKey(await text, source, where), source };
}

/** What was read from each stream: it has nothing for a second reader, such as the one that explains an error. */
const texts = new WeakMap<Readable, Promise<string>>();

async function readText(stdin: Readable, source: string): Promise<string> {
  let text = "";
  for await (const chunk of stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_CHARACTERS) {
      throw new AnalyticsError(
        "invalid_api_key",
        `${source} gives a text too long for a key; nothing was sent.`,
        {
          hint: "Give only the key, on a single line.",
        },
      );
    }
  }
  return text;
}
