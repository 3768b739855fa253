import {
  BackfillStore,
  countEvents,
  isFinished,
  MAX_LISTED_EVENTS,
  startBackfill,
  type BackfillRange,
  type BackfillRequest,
} from '@ssb/redis-queue';
import { standardError, standardOutput } from '@ssb/platform';
import { Command } from 'commander';
import { followBackfill } from '../backfill/follow-backfill.js';
import { readRange, type RangeOptions } from '../backfill/read-range.js';
import { renderResult } from '../backfill/render-result.js';
import { explainFailures, fail } from '../fail.js';
import { readConfig } from '../operator-config.js';
import { readQueueSettings } from '../queue/queue-settings.js';
import { withRedis } from '../queue/redis.js';

interface BackfillOptions extends RangeOptions {
  readonly cancel: boolean;
  readonly json: boolean;
}

const HELP = `
The poller that polls the participant requests the records of the range from the operator, within the request budget, and raises their events again under
the ids of their facts, with "backfilled": true. A subscriber drops those that its archive holds. alertsSince of the participant decides which of the others
alert. Events that follow from the time at which the poller looked cannot be raised later: overdue, payment.due, timeline.changed, stale, unreachable, forecasts.
Ctrl-C pauses the backfill. The same command continues it. When the command ends otherwise, such as with its terminal, the poller continues, and the same
command shows the progress, or the result once. Settings: those of Redis, QUEUE_PREFIX, INTEGRITY_KEYS_FILE and CONFIG_FILE, as the poller has them. In the
folder of a running npm start the command finds them in .data.
Exit status: 0 when it is complete, 1 when a record could not be fetched or used, or the command was refused, 130 when it was paused.

Examples:
  busbridge backfill --from 2026-01-01 --to 2026-03-31 --dry-run           # lists the events
  busbridge backfill --from 2026-01-01 --to 2026-03-31                     # raises them
  busbridge backfill --participant WPGENCO --from 2026-01-01 --json        # until today
  busbridge backfill --participant WPGENCO --cancel                        # ends a running or paused one
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
  const codes = readConfig().participants.map(({ code }) => code);
  const range = readRange(options, codes, new Date());
  if (typeof range === 'string') return fail(range);
  const { prefix, keys } = readQueueSettings();
  await withRedis('backfill', async (redis) => {
    const store = new BackfillStore({ redis, prefix, participant: range.participant, keys });
    if (options.cancel) await cancel(store, range.participant, options.json);
    else await carryOut(store, range, options);
  });
}

/** Events that are queued already are still published. */
async function cancel(store: BackfillStore, participant: string, json: boolean): Promise<void> {
  const { request, progress } = await store.read();
  await store.remove();
  const ended = request && { from: request.from, to: request.to, wasComplete: isFinished(request, progress) };
  if (json) standardOutput.writeJson({ participant, ended: ended ?? null });
  else standardOutput.writeLine(describeCancel(participant, ended));
}

function describeCancel(
  participant: string,
  ended: { readonly from: string; readonly to: string; readonly wasComplete: boolean } | undefined,
): string {
  if (ended === undefined) return `There is no backfill of ${participant}.`;
  const name = `The backfill of ${participant} from ${ended.from} to ${ended.to}`;
  return ended.wasComplete ? `${name} was complete. Its result is removed.` : `${name} is ended.`;
}

async function carryOut(store: BackfillStore, range: BackfillRange, options: BackfillOptions): Promise<void> {
  const start = await startBackfill(store, range, { isUntilToday: options.to === undefined });
  if (start.outcome === 'refused') {
    const { participant, from, to, dryRun } = start.other;
    return fail(
      `A backfill of ${participant} from ${from} to ${to}${dryRun ? ' with --dry-run' : ''} is not complete: continue it with the same options, or end it with --cancel.`,
    );
  }
  await follow(store, start.request, options.json);
}

async function follow(store: BackfillStore, request: BackfillRequest, json: boolean): Promise<void> {
  const { id, participant, from, to, dryRun } = request;
  const result = await followBackfill(store, request, standardError);
  if (result === 'replaced') return fail('Another command has ended or replaced this backfill.');
  if (result === 'interrupted' || result === 'paused') {
    if (result === 'interrupted') await store.changeRequest(id, { isPaused: true });
    standardError.writeLine(
      `${result === 'paused' ? 'Another command has paused the backfill.' : 'The backfill is paused.'} The same command continues it.`,
    );
    process.exitCode = 130;
    return;
  }
  const listed = dryRun ? await store.listed() : [];
  const isListComplete = countEvents(result) <= MAX_LISTED_EVENTS;
  if (json) {
    const range = { participant, from, to, dryRun };
    standardOutput.writeJson({ ...range, ...result, ...(dryRun && { listed, isListComplete }) });
  } else {
    const title = `${participant} from ${from} to ${to}${dryRun ? ', not raised' : ''}`;
    standardOutput.write(`${title}\n\n${renderResult(result, listed)}`);
  }
  await store.changeRequest(id, { isReported: true });
  if (result.failureCount > 0) process.exitCode = 1;
}
