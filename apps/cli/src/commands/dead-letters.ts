import { findEventProblem } from '@ssb/config';
import { renderTable } from '@ssb/platform';
import { openDeadLetters, type DeadLetter, type DeadLetters, type RetryResult } from '@ssb/redis-queue';
import { toPrintable } from '@ssb/net';
import { Command } from 'commander';
import { explainFailures, fail } from '../fail.js';
import { readConfig } from '../operator-config.js';
import { print } from '../print.js';
import { readQueueSettings } from '../queue/queue-settings.js';
import { withRedis } from '../queue/redis.js';

const MAX_CELL_LENGTH = 300;

const ENVIRONMENT = `
The settings of Redis, QUEUE_PREFIX and INTEGRITY_KEYS_FILE are those of the poller and the bus-publisher. In the folder of a running npm start the
command finds them in .data.
`;

const LIST_EXAMPLES = `${ENVIRONMENT}
Only a verified dead letter has a valid HMAC. Everything in another one can be forged.

Examples:
  busbridge dead-letters list
  busbridge dead-letters list --json                      # [{"id": …, "verified": true, "reason": …, "event": …}]
`;

const RETRY_EXAMPLES = `${ENVIRONMENT}
CONFIG_FILE (otherwise config/bridge.yaml) decides which events are queued; a refused event stays in the dead letters.
Exit status: 0 when no event was refused and every id is known, else 1.

Examples:
  busbridge dead-letters retry 7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1
  busbridge dead-letters retry all
  busbridge dead-letters retry unverified-0f3c… --unverified   # after a lost key or an upgrade: read the event first
`;

const REMOVE_EXAMPLES = `${ENVIRONMENT}
A removed dead letter cannot be restored, and its event is not published. Read it with "list --json" first.
Exit status: 0 when every id is known, else 1.

Examples:
  busbridge dead-letters remove unverified-0f3c…
`;

/** `busbridge dead-letters`. */
export function deadLettersCommand(): Command {
  const command = new Command('dead-letters').description('Works with events that could not be published.');
  command
    .command('list')
    .description('the dead letters, oldest first; those without a valid HMAC last')
    .option('--json', 'print JSON', false)
    .addHelpText('after', LIST_EXAMPLES)
    .action(({ json }: { json: boolean }) =>
      withDeadLetters(async (letters) => printList(await letters.list(), json)),
    );
  command
    .command('retry')
    .description('queues dead letters again; each leaves the list after its publication')
    .argument('<id...>', 'ids of the list, or "all"')
    .option('--unverified', 'accept one dead letter without a valid HMAC', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', RETRY_EXAMPLES)
    .action((ids: string[], options: { unverified: boolean; json: boolean }) => {
      if (options.unverified && (ids.length > 1 || ids.includes('all')))
        return fail('--unverified takes one id. Read the event with "list --json" first.');
      return withDeadLetters((letters) => retry(letters, ids, options));
    });
  command
    .command('remove')
    .description('removes dead letters without publishing them, such as forged ones')
    .argument('<id...>', 'ids of the list')
    .option('--json', 'print JSON', false)
    .addHelpText('after', REMOVE_EXAMPLES)
    .action((ids: string[], { json }: { json: boolean }) =>
      withDeadLetters((letters) => remove(letters, ids, json)),
    );
  return command;
}

function withDeadLetters(work: (letters: DeadLetters) => Promise<void>): Promise<void> {
  return explainFailures(async () => {
    const { prefix, keys } = readQueueSettings();
    await withRedis('dead-letters', async (redis) => {
      const letters = openDeadLetters({ redis, prefix, keys });
      try {
        await work(letters);
      } finally {
        await letters.close();
      }
    });
  });
}

function printList(letters: readonly DeadLetter[], json: boolean): void {
  print(letters, json, () =>
    letters.length === 0
      ? 'There are no dead letters.'
      : table(
          ['id', 'verified', 'type', 'subject', 'dead-lettered at', 'reason'],
          letters.map(({ id, verified, event, deadLetteredAt, reason }) => [
            id,
            verified ? 'yes' : 'no',
            event.type,
            event.subject,
            deadLetteredAt,
            reason,
          ]),
        ),
  );
}

async function retry(
  letters: DeadLetters,
  ids: readonly string[],
  { unverified, json }: { unverified: boolean; json: boolean },
): Promise<void> {
  const config = readConfig();
  const findProblem = (event: unknown): string | undefined => findEventProblem(config, event);
  const results: ({ id: string } & RetryResult)[] = [];
  for (const id of ids.includes('all') ? await letters.listIds() : ids)
    results.push({ id, ...(await letters.retry(id, { findProblem, unverified })) });
  if (results.some(({ outcome }) => outcome === 'refused' || outcome === 'not-found')) process.exitCode = 1;
  print(results, json, () =>
    results.length === 0
      ? 'There are no dead letters.'
      : table(
          ['id', 'outcome', 'reason'],
          results.map((result) => [
            result.id,
            result.outcome,
            result.outcome === 'refused' ? result.reason : '',
          ]),
        ),
  );
}

async function remove(letters: DeadLetters, ids: readonly string[], json: boolean): Promise<void> {
  const results: ({ id: string; outcome: 'removed' | 'not-found' } & Partial<DeadLetter>)[] = [];
  for (const id of ids) {
    const removed = await letters.discard(id);
    results.push({ id, outcome: removed === undefined ? 'not-found' : 'removed', ...removed });
  }
  if (results.some(({ outcome }) => outcome === 'not-found')) process.exitCode = 1;
  print(results, json, () =>
    table(
      ['id', 'outcome', 'type', 'subject', 'reason'],
      results.map(({ id, outcome, event, reason }) => [id, outcome, event?.type, event?.subject, reason]),
    ),
  );
}

/** A table of values that another client of Redis may have written. */
function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const toCell = (value: unknown): string =>
    toPrintable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), MAX_CELL_LENGTH);
  return renderTable(
    head,
    rows.map((row) => row.map(toCell)),
  );
}
