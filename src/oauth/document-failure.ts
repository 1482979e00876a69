/** The document's host is failing, perhaps only for now. This says nothing about the application. */
export class DocumentUnavailable extends Error {
  /** Whether the host answered, with something else than the document. */
  readonly isAnswered: boolean;

  constructor(
    message: string,
    { isAnswered = false, ...options }: ErrorOptions & { isAnswered?: boolean } = {},
  ) {
    super(message, options);
    this.isAnswered = isAnswered;
  }
}

/** The document must not be fetched or is not acceptable. Trying again does not help. */
export class DocumentRefused extends Error {}

/** How many causes to look through: the provider wraps errors in its own. */
const MAX_DEPTH = 5;

/** The error itself, or one of its causes, if it is of a class. */
export function findCause<T>(
  error: unknown,
  type: new (...args: never[]) => T,
  depth = MAX_DEPTH,
): T | undefined {
  if (error instanceof type) return error;
  return error instanceof Error && depth > 0 ? findCause(error.cause, type, depth - 1) : undefined;
}

/** Why a document cannot be fetched for now, in our own words or as a code; undefined if the error has another cause. */
export const findUnavailability = (error: unknown): DocumentUnavailable | undefined =>
  findCause(error, DocumentUnavailable);

export function isDocumentUnavailable(error: unknown): boolean {
  return findUnavailability(error) !== undefined;
}
