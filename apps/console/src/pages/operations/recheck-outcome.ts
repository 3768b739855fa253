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

const read = (value: unknown): string => (value === undefined ? 'unknown' : String(value).replace(/\.$/, ''));
