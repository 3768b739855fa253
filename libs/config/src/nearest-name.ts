/** The known name with the fewest changed characters; undefined when every one differs in more than a third of the text. */
export function findNearestName(text: string, known: readonly string[]): string | undefined {
  const candidates = known
    .map((name) => ({ name, distance: editDistance(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return candidates[0]?.name;
}

const MAX_LENGTH = 100;

/** Number of characters to insert, remove or replace (Levenshtein); infinite for a long text. */
function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > MAX_LENGTH) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? Infinity;
}
