import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventType } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { REPOSITORY_ROOT, type SystemOptions } from '@ssb/tools';
import { RunningSystem } from '../harness/running-system.js';

const SCENARIO = join(REPOSITORY_ROOT, 'test/src/examples/every-type.yaml');

type ShortName = EventType extends infer Type
  ? Type extends `settlementbus.${infer Name}.v1`
    ? Name
    : never
  : never;

/** What the archive must hold before the next part of the scenario begins. */
const PARTS: readonly (readonly ShortName[])[] = [
  [
    'bridge.heartbeat',
    'position.calculated',
    'margin.breach-forecast',
    'statement.published',
    'statement.overdue',
    'statement.disagreement-due',
    'invoice.overdue',
    'invoice.issued',
    'invoice.document-stored',
    'payment.due',
    'estimation.published',
  ],
  [
    'margin.forecast-cleared',
    'margin.warning',
    'margin.breached',
    'credit-support.short',
    'statement.revised',
    'timeline.changed',
  ],
  [
    'statement.disagreement-lapsed',
    'margin.restored',
    'credit-support.restored',
    'invoice.adjusted',
    'invoice.discrepancy',
    'invoice.reversed',
    'position.stale',
  ],
  [
    'position.resumed',
    'market.unreachable',
    'bridge.alert.raised',
    'market.recovered',
    'bridge.alert.cleared',
  ],
];

/** A signed event of the archive. */
export interface ArchivedEvent {
  readonly type: string;
  readonly id: string;
}

/**
 * Starts a system with a simulated market that waits after each step.
 * @param overrides settings of the other apps
 */
export function startSystem(
  overrides: SystemOptions['overrides'] = {},
  options: Pick<SystemOptions, 'pollIntervalMs'> = {},
): Promise<RunningSystem> {
  const simulator = { STEP: 'true', LOG_LEVEL: 'debug' };
  const poller = { CONFIG_RELOAD_INTERVAL_MS: '500', ...overrides?.poller };
  return RunningSystem.start({ ...overrides, poller, simulator }, { ...options, scenario: SCENARIO });
}

/** Plays all parts. Yields one event of each type; the next part begins meanwhile. */
export async function* archiveEveryType(running: RunningSystem): AsyncGenerator<ArchivedEvent> {
  const simulator = running.system.process('simulator');
  let steps = 0;
  for (const part of PARTS) {
    while ((await waitForStep(running, steps)) === 0) {
      simulator.writeLine('');
      steps += 1;
    }
    const archived = await waitForTypes(running, part);
    if (part.includes('statement.disagreement-due')) shortenWindow(running);
    simulator.writeLine('');
    steps += 1;
    yield* archived;
  }
}

/** The last day to dispute the statement has then passed. */
function shortenWindow({ system }: RunningSystem): void {
  const { operatorConfig } = system.plan;
  const config = readFileSync(operatorConfig, 'utf8');
  const shorter = config.replace('businessDays: 21', 'businessDays: 6');
  if (shorter === config) throw new Error('CONFIG_FILE has no window of 21 business days');
  writeFileSync(operatorConfig, shorter);
}

/** @returns the hold of the step, milliseconds */
async function waitForStep(running: RunningSystem, index: number): Promise<number> {
  const findWait = () => running.linesOf('simulator').filter(({ step }) => step === 'wait')[index];
  const { ms } = await waitFor(`step ${index + 1} of the simulator`, findWait);
  return Number(ms);
}

/** Waits until the archive has an event of each of these types that the subscriber did not write itself. @returns the first ones */
async function waitForTypes(
  { database }: RunningSystem,
  names: readonly ShortName[],
): Promise<readonly ArchivedEvent[]> {
  const types = names.map((name) => `settlementbus.${name}.v1`);
  let archived: readonly ArchivedEvent[] = [];
  await waitFor(
    () =>
      `each of ${types.join(', ')} in the archive, not only ${archived.map(({ type }) => type).join(', ')}`,
    async () => {
      archived = await database.query<ArchivedEvent>(
        `SELECT DISTINCT ON (type) type, event_id AS id FROM subscriber.archive
         WHERE type = ANY ($1) AND NOT 'local' = ANY (marks) ORDER BY type, archive_offset`,
        [types],
      );
      return archived.length === types.length;
    },
  );
  return archived;
}
