import type { RequestDetail, RequestRow } from '../api/operations.js';

type SentRow = RequestRow & Partial<Pick<RequestDetail, 'subscriberRuns'>>;

/** How a request of a person has ended, or that it has not ended yet. */
export interface RequestOutcome {
  readonly isOpen: boolean;
  readonly isFailed: boolean;
  /** One or two sentences. */
  readonly text: string;
}

/** @param done what is said when it has been carried out */
export function describeRequest(request: SentRow, done: (request: RequestRow) => string): RequestOutcome {
  switch (request.state) {
    case 'done':
      return { isOpen: false, isFailed: false, text: done(request) };
    case 'refused':
      return { isOpen: false, isFailed: true, text: `Refused: ${reasonOf(request)}` };
    case 'failed':
      return { isOpen: false, isFailed: true, text: `Failed: ${reasonOf(request)}` };
    case 'running':
      return {
        isOpen: true,
        isFailed: false,
        text: `Stored. The subscriber carries it out${soFar(request)}.`,
      };
    case 'waiting':
      return { isOpen: true, isFailed: false, text: describeWaiting(request) };
  }
}

function describeWaiting({ subscriberRuns = true }: SentRow): string {
  return subscriberRuns
    ? 'Stored. The subscriber carries it out in its turn.'
    : 'Stored. No subscriber runs now: it is carried out at its next start.';
}

function reasonOf({ result }: RequestRow): string {
  const reason = result?.['reason'];
  return typeof reason === 'string' ? reason : 'The subscriber gave no reason.';
}

function soFar({ progress }: RequestRow): string {
  const { changed, total } = (progress ?? {}) as { readonly changed?: number; readonly total?: number };
  if (changed === undefined) return '';
  return total === undefined ? `: ${changed} so far` : `: ${changed} of ${total} so far`;
}

/** How many rows a request has changed, as its result says. */
export function changedBy({ result }: Pick<RequestRow, 'result'>): number {
  const changed = result?.['changed'];
  return typeof changed === 'number' ? changed : 0;
}
