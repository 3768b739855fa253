import type { ApiClient } from '../api/api-client.js';
import type { BackfillRow, ListedEvent } from '../api/operations.js';
import { withApi, type ApiOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printResult, readRows } from '../output/listing.js';
import { followBackfill } from './follow-backfill.js';
import { MAX_LISTED_EVENTS, renderBackfill } from './render-backfill.js';

export interface BackfillOptions extends ApiOptions {
  readonly participant?: string;
  readonly from?: string;
  readonly to?: string;
  readonly dryRun: boolean;
  readonly cancel: boolean;
  readonly wait: boolean;
  readonly comment?: string;
}

export function backfill(options: BackfillOptions): Promise<void> {
  return withApi(options, async (api) => {
    const participant = options.participant ?? (await findParticipant(api));
    if (options.cancel) await cancel(api, participant, options);
    else await carryOut(api, participant, options);
  });
}

async function findParticipant(api: ApiClient): Promise<string> {
  const { polling } = await api.get('/v1/status');
  const [only, ...others] = polling.map(({ participant }) => participant);
  if (only !== undefined && others.length === 0) return only;
  throw new CommandError(
    only === undefined
      ? 'No poller says which participants it polls: choose one with --participant.'
      : `${polling.length} participants are polled: choose one with --participant, such as ${only}.`,
    EXIT.usage,
  );
}

/** Events that are queued are still published. */
async function cancel(api: ApiClient, participant: string, options: BackfillOptions): Promise<void> {
  const { comment, output } = options;
  const body = comment === undefined ? {} : { comment };
  const ended = await api.post('/v1/backfills/{participant}/cancel', body, { parts: { participant } });
  printResult(
    ended,
    output,
    ({ from, to }) => `The backfill of ${participant} from ${from} to ${to} is ended.`,
  );
}

async function carryOut(api: ApiClient, participant: string, options: BackfillOptions): Promise<void> {
  const started = await start(api, participant, options);
  if (!options.wait) {
    if (started.state === 'done' && started.failureCount > 0) process.exitCode = EXIT.findings;
    return printResult(started, options.output, renderBackfill);
  }
  const end = await followBackfill(api, started);
  const listed = end.dryRun ? await readListed(api, participant) : undefined;
  const result = {
    ...end,
    ...(listed !== undefined && { listed, isListComplete: end.events <= MAX_LISTED_EVENTS }),
  };
  printResult(result, options.output, () => renderBackfill(end, listed));
  if (end.failureCount > 0) process.exitCode = EXIT.findings;
}

async function start(
  api: ApiClient,
  participant: string,
  { from, to, dryRun, comment }: BackfillOptions,
): Promise<BackfillRow> {
  if (from === undefined) {
    if (to !== undefined || dryRun)
      throw new CommandError(
        'Give the first market date with --from, such as --from 2026-01-01.',
        EXIT.usage,
      );
    return api.get('/v1/backfills/{participant}', { parts: { participant } });
  }
  const range = { participant, from, dryRun, ...(to !== undefined && { to }) };
  const body = { ...range, ...(comment !== undefined && { comment }) };
  return (await api.post('/v1/backfills', body)).backfill;
}

async function readListed(api: ApiClient, participant: string): Promise<readonly ListedEvent[]> {
  const range = { limit: MAX_LISTED_EVENTS, cursor: undefined };
  const { items } = await readRows(api, '/v1/backfills/{participant}/events', {}, range, { participant });
  // A step that was interrupted is repeated, with its events.
  return [...new Map(items.map((event) => [event.id, event])).values()];
}
