/** The three media types of a 200 response; the body is the same in all of them (document 000, Conventions 2). */
export const MEDIA_TYPES = ['application/json', 'text/plain', 'text/json'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/**
 * Chooses the acceptable media type of the highest weight, then by the order of MEDIA_TYPES (RFC 9110 §12.5.1).
 * JSON is the fallback: document 000 has no 406, and the RFC lets a server disregard the header.
 */
export function chooseMediaType(accept: string | undefined): MediaType {
  if (accept === undefined) return 'application/json';
  const ranges = accept.split(',').map(parseRange);
  let best: MediaType = 'application/json';
  let bestWeight = 0;
  for (const type of MEDIA_TYPES) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

interface Range {
  name: string;
  weight: number;
}

function parseRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { name, weight: Number.isFinite(weight) ? Math.min(Math.max(weight, 0), 1) : 0 };
}

/** The most specific matching range decides, even when a wider one has a higher weight. */
function weightOf(type: MediaType, ranges: readonly Range[]): number {
  for (const name of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.name === name);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
