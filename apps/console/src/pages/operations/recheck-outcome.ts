import type { RequestRow } from '../../api/operations.js';

export interface RequestOutcome {
  readonly kind: 'info' | 'warning';
  readonly text: string;
}

/** What became of a request to evaluate the quarantine again. */
export function describeRecheck({ state, result = {} }: RequestRow): RequestOutcome {
  switch (state) {
    case 'done': {
      const { evaluated, released, stillQuarantined } = result;
      return {
        kind: 'info',
        text: `${read(evaluated)} evaluated, ${read(released)} released, ${read(stillQuarantined)} still quarantined.`,
      };
    }
    case 'waiting':
    case 'running':
      return { kind: 'info', text: 'The request is stored. The subscriber carries it out soon.' };
    case 'refused':
    case 'failed':
      return { kind: 'warning', text: `The request was ${state}: ${read(result['reason'])}.` };
  }
}

function read(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.replace(/\.$/, '') : 'unknown';
}
