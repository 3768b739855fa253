import type { RequestRow } from '../../api/operations.js';

/** What became of a request to evaluate the quarantine again that was carried out. */
export function describeRecheck({ result = {} }: Pick<RequestRow, 'result'>): string {
  const { evaluated, released, stillQuarantined } = result;
  return `${read(evaluated)} evaluated, ${read(released)} released, ${read(stillQuarantined)} still quarantined.`;
}

const read = (value: unknown): string => (typeof value === 'number' ? String(value) : 'unknown');
