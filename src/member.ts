/**
 * A member that an object has itself. A name from outside (of a service, a log, a visitor, the command line) may be
 * `constructor` or `__proto__`, and every object inherits something under these: look such names up here, or in a Map.
 * `test/look-ups.e2e.test.ts` finds other look-ups.
 */
export function readMember<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined;
export function readMember(object: unknown, name: PropertyKey): unknown;
export function readMember(object: unknown, name: PropertyKey): unknown {
  if (typeof object !== "object" || object === null) return undefined;
  return Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;
}

/** The value of a JSON text; undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
