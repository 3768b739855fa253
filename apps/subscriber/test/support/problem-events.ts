import { announcesProblem, readProblemSignal, type DetectedEvent, type EventType } from '@ssb/events';
import type { VerifiedEntry } from '../../src/archive/archive-entries.js';
import { verifiedEntry } from './archive-entries.js';

export interface ProblemEvent {
  readonly id: string;
  /** Without prefix and version. */
  readonly type: string;
  readonly subject: string;
  readonly sequence: number;
  readonly data?: object;
  readonly sinks?: readonly string[];
  readonly time?: string;
}

/** An entry whose archived text says the same about a problem. */
export function problemEntry({
  id,
  type,
  subject,
  sequence,
  data = {},
  sinks,
  time,
}: ProblemEvent): VerifiedEntry {
  const event = {
    id,
    type: `settlementbus.${type}.v1` as EventType,
    subject,
    time: time ?? '2026-03-02T08:00:00+08:00',
    data,
  } as unknown as DetectedEvent;
  const problem = readProblemSignal(event);
  return verifiedEntry({
    ...event,
    text: JSON.stringify(event),
    sequence,
    announcesProblem: announcesProblem(event),
    ...(problem && { problem }),
    ...(sinks && { sinks }),
  });
}

const MARGIN_SEVERITIES = { OK: undefined, WARNING: 'warning', BREACHED: 'critical' } as const;
const MARGIN_TYPES = { OK: 'restored', WARNING: 'warning', BREACHED: 'breached' } as const;

/** An event of the margin of WPGENCO. */
export function marginEntry(
  id: string,
  level: keyof typeof MARGIN_TYPES,
  sequence: number,
  change: Partial<ProblemEvent> & { readonly tradingMargin?: string } = {},
): VerifiedEntry {
  const { tradingMargin = '10.00', ...rest } = change;
  return problemEntry({
    id,
    type: `margin.${MARGIN_TYPES[level]}`,
    subject: 'WPGENCO/prudential',
    sequence,
    data: { level, tradingMargin, severity: MARGIN_SEVERITIES[level] },
    ...rest,
  });
}

/** All that can be derived from archive and requests, byte for byte. */
export const PROBLEM_ROWS = `SELECT to_jsonb(problem)::text || problem.figures::text || problem.worst_figures::text AS row FROM subscriber.problem
  UNION ALL SELECT to_jsonb(problem_change)::text || coalesce(problem_change.figures::text, '') FROM subscriber.problem_change ORDER BY 1`;
