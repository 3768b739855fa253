import type { z } from 'zod';

/** Parses a saved text; undefined when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a saved text by its schema; undefined when it does not match. */
export function parseSaved<T>(schema: z.ZodType<T>, text: string): T | undefined {
  return schema.safeParse(parseJson(text)).data;
}
