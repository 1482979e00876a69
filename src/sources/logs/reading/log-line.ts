/** A line of an access log. The sender of the request may have written any of its texts. */
export interface LogLine {
  /** Seconds since 1970. */
  time: number;
  /** The address that opened the connection: a visitor's, or a proxy's. */
  address: string;
  /** The header X-Forwarded-For, where it is logged. */
  forwarded?: string | undefined;
  /** The virtual host, perhaps with a port. */
  host?: string | undefined;
  /** Empty if it was not an HTTP request. */
  method: string;
  /** Path and query as sent, or an absolute URL. */
  target: string;
  status: number;
  /** Empty if the request had none. Undefined, here and below, if the log does not record it. */
  referrer?: string | undefined;
  agent?: string | undefined;
  /** The header Accept-Language. */
  language?: string | undefined;
  /** The response's Content-Type. */
  contentType?: string | undefined;
  /** The header Sec-Purpose, or its predecessors. */
  purpose?: string | undefined;
}

/** The same, with every field named: a format that can have all of them cannot leave one out. */
export type WholeLine = { [Field in keyof LogLine]-?: LogLine[Field] | undefined };

/** Parses one line; undefined if it cannot be read, and `"comment"` if it holds no request. */
export type LineParser = (line: string) => LogLine | "comment" | undefined;

export interface LogFormat {
  /** For `--log-format`, and for people. */
  name: string;
  /** Creates the parser of one file, which may remember header lines. */
  createParser(): LineParser;
  /** The format of a file with these first lines, if the format leaves something open: what each of its lines must have. */
  specialize?(lines: readonly string[]): LogFormat;
}

/** A format that needs no description. */
export interface KnownFormat extends LogFormat {
  /** For people: what it is called, and who writes it. */
  title: string;
}
