import type { Fault } from '@ssb/market/admin';
import type { SettlementRun } from '../calendar/settlement-run.js';
import type { InvoiceFileStep, OutageStep } from './scenario-step.js';

type FaultBounds = Pick<Fault, 'forSeconds' | 'participant' | 'path'>;

const INTERFACE_PATHS = {
  prudential: '/api/v2/prudential/**',
  settlement: '/api/v2/settlements/**',
} as const;

/** Longer than an access token is valid. */
const CLOCK_AHEAD_SECONDS = 86_400;

/** The fault of the step. @param speed shortens it; the sandbox counts whole seconds, at least one */
export function buildFault(step: OutageStep, participants: readonly string[], speed: number): Fault {
  const forSeconds = Math.max(1, Math.ceil(step.lasts / 1_000 / speed));
  const bounds: FaultBounds = { forSeconds, ...participantOf(step, participants) };
  const path = step.interface && INTERFACE_PATHS[step.interface];
  return { ...buildOutage(step.outage), ...bounds, ...(path !== undefined && { path }) };
}

/** The fault of the document of a run. */
export function buildFileFault(
  step: InvoiceFileStep,
  { period, designation }: SettlementRun,
  participants: readonly string[],
): Fault {
  const { as: form, bytes, times } = step;
  const path = `/api/v2/settlements/${period.marketService}/invoiceFile/${period.from}/${designation}`;
  const file = { kind: 'invoice-file', form, ...(bytes !== undefined && { bytes }) } as const;
  return { ...file, times, path, ...participantOf(step, participants) };
}

function participantOf(
  step: OutageStep | InvoiceFileStep,
  participants: readonly string[],
): Pick<Fault, 'participant'> {
  const participant = step.participant === undefined ? undefined : participants[step.participant - 1];
  return participant === undefined ? {} : { participant };
}

function buildOutage(outage: OutageStep['outage']): Fault {
  switch (outage) {
    case 403:
      // The sandbox refuses an expired access token with 403.
      return { kind: 'clock-skew', seconds: CLOCK_AHEAD_SECONDS };
    case 503:
      return { kind: 'error', status: outage };
    case 'reset':
      return { kind: 'connection-reset', when: 'before-response' };
    default:
      return outage satisfies never;
  }
}
