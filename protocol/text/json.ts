/** What survives Temporal's JSON payload converter unchanged. Wire types are built from these. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** `Array.isArray` does not narrow a readonly list. */
export function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** A list is none. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for no text, and for one that is no JSON. */
export function parseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null for what is no JSON object. */
export function parseRecord(text: string | null): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}
