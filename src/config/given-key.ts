import { readFileSync, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { AnalyticsError } from "../errors.ts";
import type { GivenKey } from "./access.ts";
import { readApiKey } from "./api-key.ts";
import { describeExposure, isExposed } from "./file-permissions.ts";
import type { AccessFlags } from "./service-url.ts";

const MOST_CHARACTERS = 10_000;

/**
 * The key that `--api-key-file` or `--api-key-stdin` gives. No option takes a key itself: other users of a machine
 * see the arguments of every process, and shells write them into their history.
 */
export async function readGivenKey(
  { apiKeyFile, apiKeyStdin }: AccessFlags,
  stdin: Readable & { isTTY?: boolean },
): Promise<GivenKey | undefined> {
  if (apiKeyFile !== undefined && apiKeyStdin) {
    throw new AnalyticsError("usage", "--api-key-file and --api-key-stdin exclude each other.");
  }
  if (apiKeyFile !== undefined) return readKeyFile(apiKeyFile);
  return apiKeyStdin ? readKeyStream(stdin) : undefined;
}

function readKeyFile(file: string): GivenKey {
  const source = "--api-key-file";
  try {
    const text = readFileSync(file, "utf8");
    // What a shell hands over as <(command) is a pipe, and nobody else's to read.
    const isOpen = statSync(file).isFile() && isExposed(file);
    return { apiKey: readApiKey(text, source), source, warnings: isOpen ? [describeExposure(file)] : [] };
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause;
    const code = cause instanceof Error && "code" in cause ? cause.code : cause;
    throw new AnalyticsError("no_api_key", `The file of --api-key-file cannot be read: ${code}.`, {
      hint: file.startsWith("~")
        ? "Write its whole path: only a shell knows what ~ means."
        : "Check its path and whether you may read it.",
      cause,
    });
  }
}

async function readKeyStream(stdin: Readable & { isTTY?: boolean }): Promise<GivenKey> {
  const source = "--api-key-stdin";
  if (stdin.isTTY) {
    throw new AnalyticsError(
      "usage",
      "--api-key-stdin reads from a pipe or a file, and this is a terminal.",
      {
        hint: "At a terminal, analytics-mcp login asks for the key without showing it.",
      },
    );
  }
  let text = "";
  for await (const chunk of stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MOST_CHARACTERS) {
      throw new AnalyticsError(
        "invalid_api_key",
        `${source} gives more than a key can be; nothing was sent.`,
        {
          hint: "Give the key alone, as its first and only line.",
        },
      );
    }
  }
  return { apiKey: readApiKey(text, source), source };
}
