export type ParsedPayload =
  | { readonly ok: true; readonly event: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly detail: string };

/** Events of the catalogue have at most six levels. The limit protects the stack from hostile payloads. */
const MAX_DEPTH = 32;

/** Parses a payload as one JSON object with unique names, whatever its fields. */
export function parsePayload(payload: string): ParsedPayload {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    // The parser's message is left out, because it quotes the payload.
    return { ok: false, detail: 'the payload is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, detail: 'the payload is not a JSON object' };
  }
  if (isDeeperThan(value, MAX_DEPTH)) return { ok: false, detail: 'the payload is nested too deeply' };
  if (hasDuplicateNames(payload)) return { ok: false, detail: 'the payload has a duplicate name' };
  return { ok: true, event: value as Readonly<Record<string, unknown>> };
}

function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some(
    (each: unknown) => typeof each === 'object' && each !== null && isDeeperThan(each, levels - 1),
  );
}

/**
 * True when an object of a JSON text has a name twice (forbidden by RFC 7493 §2.3). Parsers disagree on the value, so a proof of the parsed
 * event would not cover the archived text.
 * @param text valid JSON
 */
export function hasDuplicateNames(text: string): boolean {
  // Fast path: a text that this runtime would write itself has no duplicate names.
  if (JSON.stringify(JSON.parse(text)) === text) return false;
  const open: (Set<string> | undefined)[] = [];
  let nameExpected = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"') && nameExpected) {
      const names = open.at(-1);
      const name = JSON.parse(token) as string;
      if (names?.has(name)) return true;
      names?.add(name);
    }
    nameExpected = token === '{' || (token === ',' && open.at(-1) !== undefined);
  }
  return false;
}
