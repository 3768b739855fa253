import { toMarketDate, type MarketDate } from '@ssb/market';
import type { BulkLine, RecordKind, RecordOf } from '@ssb/market/admin';
import { Publications } from '../../src/domain/documents/publications.js';
import { liveSteps } from '../../src/domain/scenario/live-steps.js';
import { parseProgress, type Progress } from '../../src/domain/scenario/progress.js';
import type { EndlessScenario } from '../../src/domain/scenario/scenario.js';
import { StampGenerator } from '../../src/domain/scenario/simulation-step.js';

/** What a simulation published. */
export interface Played {
  /** In bulk, before it was ready. */
  readonly loaded: readonly BulkLine[];
  readonly live: readonly { readonly afterMs: number; readonly line: BulkLine }[];
  readonly today: MarketDate;
  readonly progress: Progress;
}

/** Plays an endless scenario on a simulated clock, as if in real time. */
export function playScenario(
  scenario: EndlessScenario,
  start: string,
  forMs: number,
  saved?: Progress,
): Played {
  let nowMs = Date.parse(start);
  const now = (): Date => new Date(nowMs);
  const publications = new Publications(scenario);
  const stamps = new StampGenerator(now);
  const context = { seed: scenario.seed, participants: ['WPGENCO'], publications, stamps, now, speed: 1 };
  const loaded: BulkLine[] = [];
  const live: { afterMs: number; line: BulkLine }[] = [];
  let isReady = false;
  let text = '';
  for (const step of liveSteps(scenario, context, saved)) {
    const afterMs = nowMs - Date.parse(start);
    if (step.type === 'ready') isReady = true;
    else if (step.type === 'save') text = JSON.stringify(step.progress);
    else if (step.type === 'wait') nowMs += step.ms;
    else if (step.type === 'publish' && isReady)
      live.push(...step.publication.lines.map((line) => ({ afterMs, line })));
    else if (step.type === 'publish') loaded.push(...step.publication.lines);
    if (nowMs - Date.parse(start) > forMs) break;
  }
  return { loaded, live, today: toMarketDate(new Date(start)), progress: parseProgress(text, 'p') };
}

export function recordsOf<Kind extends RecordKind>(lines: readonly BulkLine[], kind: Kind): RecordOf<Kind>[] {
  return lines.flatMap((line) => (line.kind === kind ? [line.record as RecordOf<Kind>] : []));
}

export const statementRuns = (lines: readonly BulkLine[]): string[] =>
  recordsOf(lines, 'statements').map(
    ({ statement: { marketService, periodFrom, designation } }) =>
      `${marketService} ${periodFrom.slice(0, 10)} ${designation}`,
  );
export const invoiceRuns = (lines: readonly BulkLine[]): string[] =>
  recordsOf(lines, 'invoices').map(
    ({ marketService, periodFrom, designation }) => `${marketService} ${periodFrom} ${designation}`,
  );

/** The statements and invoices that the newest timeline announces up to a day. */
export function listDue(
  lines: readonly BulkLine[],
  until: MarketDate,
): { statements: string[]; invoices: string[] } {
  const due = { statements: [] as string[], invoices: [] as string[] };
  for (const cycle of recordsOf(lines, 'timelines').at(-1)?.timeline.cycles ?? [])
    for (const { designation, statementDate, invoiceDate } of cycle.runs ?? []) {
      const run = `${cycle.marketService} ${cycle.periodFrom?.slice(0, 10)} ${designation}`;
      if ((statementDate ?? '').slice(0, 10) <= until) due.statements.push(run);
      if ((invoiceDate ?? '').slice(0, 10) <= until) due.invoices.push(run);
    }
  return { statements: due.statements.sort(), invoices: due.invoices.sort() };
}
