/**
 * Whether some object in a JSON text gives a name twice (RFC 7493 §2.3 forbids it). Parsers disagree on which value counts, so
 * a proof over the parsed event would not say what a reader of the archived text sees.
 * @param text valid JSON
 */
export function hasDuplicateNames(text: string): boolean {
  // What this runtime writes never has one, and it is what an honest publisher sends: the short way for nearly every message.
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
