import { randomUUID } from 'node:crypto';
import {
  BackfillStore,
  isFinished,
  isSameRange,
  type BackfillRange,
  type BackfillRequest,
} from '@ssb/backfill';
import { Command } from 'commander';
import { followBackfill } from '../backfill/follow-backfill.js';
import { readRange, type RangeOptions } from '../backfill/read-range.js';
import { renderResult } from '../backfill/render-result.js';
import { explainFailures, fail } from '../fail.js';
import { readConfig } from '../operator-config.js';
import { readQueueSettings } from '../queue-settings.js';
import { withRedis } from '../redis.js';

interface BackfillOptions extends RangeOptions {
  readonly cancel: boolean;
  readonly json: boolean;
}

const HELP = `
The poller that polls the participant requests the records of the range from the operator, within the request budget, and raises their events again under
the ids that they had, with "backfilled": true. A subscriber drops those that its archive holds. alertsSince of the participant decides which of the others
alert. Events that follow from the time at which the poller looked cannot be raised later: overdue, payment.due, timeline.changed, stale, unreachable, forecasts.
Ctrl-C pauses the backfill. The same command continues it. Settings: those of Redis, QUEUE_PREFIX, INTEGRITY_KEYS_FILE and CONFIG_FILE, as the poller has
them. In the folder of a running npm start the command finds them in .data.
Exit status: 0 when it is complete, 1 when a record could not be used or the command was refused, 130 when it was paused.

Examples:
  busbridge backfill --from 2026-01-01 --to 2026-03-31 --dry-run           # lists the events
  busbridge backfill --from 2026-01-01 --to 2026-03-31                     # raises them
  busbridge backfill --participant WPGENCO --from 2026-01-01 --json        # until today
  busbridge backfill --participant WPGENCO --cancel                        # ends a paused one
`;

/** `busbridge backfill`. */
export function backfillCommand(): Command {
  return new Command('backfill')
    .description('Raises, or lists, the events of a past range.')
    .option('--participant <code>', 'a participant of CONFIG_FILE (default: the only one)')
    .option('--from <date>', 'first market date, such as 2026-01-01')
    .option('--to <date>', 'last market date (default: today)')
    .option('--dry-run', 'list the events, and raise none', false)
    .option('--cancel', 'end the backfill of the participant', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action((options: BackfillOptions) => explainFailures(() => backfill(options)));
}

async function backfill(options: BackfillOptions): Promise<void> {
  const range = readRange(options, readConfig(), new Date());
  if (typeof range === 'string') return fail(range);
  const { prefix, keys } = readQueueSettings();
  await withRedis('backfill', async (redis) => {
    const store = new BackfillStore({ redis, prefix, participant: range.participant, keys });
    if (options.cancel) await cancel(store, range.participant);
    else await carryOut(store, range, options.json);
  });
}

async function cancel(store: BackfillStore, participant: string): Promise<void> {
  const { request } = await store.read();
  await store.remove();
  process.stdout.write(
    request === undefined
      ? `There is no backfill of ${participant}.\n`
      : `The backfill of ${participant} from ${request.from} to ${request.to} is ended.\n`,
  );
}

async function carryOut(store: BackfillStore, range: BackfillRange, json: boolean): Promise<void> {
  const { request: previous, progress } = await store.read();
  const isOpen = previous !== undefined && !isFinished(previous, progress);
  if (isOpen && !isSameRange(previous, range))
    return fail(
      `A backfill of ${previous.participant} from ${previous.from} to ${previous.to}${previous.dryRun ? ' with --dry-run' : ''} is not complete: continue it with the same options, or end it with --cancel.`,
    );
  const request: BackfillRequest = isOpen
    ? { ...previous, isPaused: false }
    : { ...range, id: randomUUID(), isPaused: false };
  await store.writeRequest(request);
  const result = await followBackfill(store, request, process.stderr);
  if (result === 'replaced') return fail('Another command has ended or replaced this backfill.');
  if (result === 'interrupted') {
    await store.writeRequest({ ...request, isPaused: true });
    process.stderr.write('The backfill is paused. The same command continues it.\n');
    process.exitCode = 130;
    return;
  }
  const listed = request.dryRun ? await store.listed() : [];
  process.stdout.write(
    json
      ? `${JSON.stringify({ ...range, ...result, ...(request.dryRun && { listed }) }, undefined, 2)}\n`
      : renderResult(result, listed),
  );
  if (result.failureCount > 0) process.exitCode = 1;
}
