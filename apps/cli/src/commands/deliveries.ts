import { standardOutput } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { Command, InvalidArgumentError } from 'commander';
import { fail } from '../fail.js';
import { print } from '../print.js';
import { carryOut } from '../requests/carry-out.js';
import {
  addDeliveryFilters,
  checkEventFilters,
  checkSink,
  type DeliveryFilters,
} from '../requests/filters.js';
import { findEventId } from '../requests/find-event.js';
import {
  DELIVERY_STATES,
  listAttempts,
  listDeliveries,
  RESENDABLE_STATES,
  SKIPPABLE_STATES,
  type DeliveryFilter,
} from '../requests/list-deliveries.js';
import { findProblem } from '../requests/list-problems.js';
import {
  DATABASE_HELP,
  addRequestOptions,
  collect,
  parseLimit,
  parseName,
  type RequestOptions,
} from '../options.js';
import { countDeliveries, renderAttempts, renderDeliveries } from '../requests/render.js';
import { RequestError, withSubscriberDatabase } from '../requests/subscriber-database.js';

const DIGEST_HELP = `A digest matches --type and --participant when one of its events does.
`;
const ARCHIVE_TIME_HELP = `${DIGEST_HELP}--since and --until choose events by when they were archived, unlike in deliveries list: a reminder has the time of its event, and a
digest that of its newest event.
`;

const LIST_HELP = `${DATABASE_HELP}
The deliveries of the newest events come first. --since and --until choose by when a delivery was added, which the column "added at" shows: a
reminder is added later than its event. ${DIGEST_HELP}
Examples:
  busbridge deliveries list --state parked --sink treasury
  busbridge deliveries list --problem 3f2a9c --json
  busbridge deliveries list --since 2d --type margin.breached
`;

const SHOW_HELP = `${DATABASE_HELP}
A digest is shown with the events in it, and such an event with its digest.

Examples:
  busbridge deliveries show 7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1
`;

const RESEND_HELP = `${DATABASE_HELP}
A delivery keeps its id and body, so a receiver that has it drops it. Pending ones are unchanged.
Withheld ones are resent only with --state withheld. Without --sink the deliveries to every sink are selected.
An event in a digest is resent alone only with --event.
${ARCHIVE_TIME_HELP}
Examples:
  busbridge deliveries resend --event 7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1 --sink treasury
  busbridge deliveries resend --sink treasury --since 2026-01-31T16:00:00+08:00 --until 2026-01-31T18:00:00+08:00
  busbridge deliveries resend --state parked        # all that the sinks have refused
  busbridge deliveries resend --state withheld --since 12h --sink treasury
`;

const SKIP_HELP = `${DATABASE_HELP}
A skipped delivery is not attempted again. It stays listed, and can be resent.
${ARCHIVE_TIME_HELP}
Examples:
  busbridge deliveries skip --event 7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1 --comment 'The receiver is gone.'
  busbridge deliveries skip --sink former --state parked
`;

/** `busbridge deliveries`. */
export function deliveriesCommand(): Command {
  const command = new Command('deliveries').description('Works with what the sinks get.');
  addDeliveryFilters(command.command('list'), DELIVERY_STATES, 'deliveries added')
    .description('the deliveries with their states')
    .option('--problem <id>', 'only of this problem')
    .option('--limit <number>', 'how many at most', parseLimit, 50)
    .option('--after <cursor>', 'continue a list, as its end says', parseCursor)
    .option('--json', 'print JSON', false)
    .addHelpText('after', LIST_HELP)
    .action((options: ListOptions) =>
      withSubscriberDatabase('requests', (database) => list(database, options)),
    );
  command
    .command('show')
    .description('the deliveries of an event, and every attempt')
    .argument('<event-id>', 'id of the list, or its first 6 characters or more')
    .option('--sink <name>', 'only to this sink', parseName)
    .option('--json', 'print JSON', false)
    .addHelpText('after', SHOW_HELP)
    .action((eventId: string, options: ShowOptions) =>
      withSubscriberDatabase('requests', (database) => show(database, eventId, options)),
    );
  addRequestOptions(addSelection(command.command('resend'), RESENDABLE_STATES), 600)
    .description('makes deliveries pending again')
    .addHelpText('after', RESEND_HELP)
    .action((options: ChangeOptions) => change('resend', options));
  addRequestOptions(addSelection(command.command('skip'), SKIPPABLE_STATES), 600)
    .description('ends pending and parked deliveries without an attempt')
    .addHelpText('after', SKIP_HELP)
    .action((options: ChangeOptions) => change('skip', options));
  return command;
}

const addSelection = (command: Command, states: readonly string[]): Command =>
  addDeliveryFilters(
    command.option(
      '--event <id>',
      'id of an event, or its first 6 characters or more; may be repeated',
      collect(),
    ),
    states,
    'events archived',
  );

type Cursor = NonNullable<DeliveryFilter['after']>;

function parseCursor(text: string): Cursor {
  const [, offset, sink, eventId] = /^(\d{1,18})\/(.+)\/([^/]+)$/.exec(text) ?? [];
  if (offset === undefined || sink === undefined || eventId === undefined)
    throw new InvalidArgumentError('The value that the end of a list shows.');
  return { offset, sink, eventId };
}

interface ListOptions extends DeliveryFilters {
  readonly problem?: string;
  readonly limit: number;
  readonly after?: Cursor;
  readonly json: boolean;
}

async function list(database: Database, options: ListOptions): Promise<void> {
  const { sink, state, type, participant, since, until, problem, limit, after, json } = options;
  await checkEventFilters(database, options);
  await checkSink(database, sink);
  const problemId = problem === undefined ? undefined : (await findProblem(database, problem)).problemId;
  const { deliveries, more } = await listDeliveries(database, {
    sink,
    states: state,
    types: type,
    participants: participant,
    since,
    until,
    problemId,
    after,
    limit,
  });
  const last = deliveries.at(-1);
  const next = more && last ? `${last.offset}/${last.sink}/${last.eventId}` : undefined;
  print({ deliveries, ...(next !== undefined && { next }) }, json, () => {
    if (deliveries.length === 0) return 'There are no such deliveries.';
    const rows = renderDeliveries(deliveries);
    return next === undefined ? rows : `${rows}\nThere are more: continue with --after ${next}`;
  });
}

interface ShowOptions {
  readonly sink?: string;
  readonly json: boolean;
}

/** Deliveries of an event that are shown, reminders included. */
const MAX_SHOWN = 1_000;

async function show(database: Database, id: string, { sink, json }: ShowOptions): Promise<void> {
  const eventId = await findEventId(database, id);
  const { deliveries } = await listDeliveries(database, { eventId, sink, limit: MAX_SHOWN });
  const ids = new Set([eventId, ...deliveries.map((each) => each.eventId)]);
  const attempts = await listAttempts(database, [...ids], sink);
  if (deliveries.length === 0 && attempts.length === 0)
    throw new RequestError(
      `There is no delivery of ${eventId}. "busbridge deliveries list" shows the ids of events.`,
    );
  if (json) standardOutput.writeJson({ deliveries, attempts });
  else standardOutput.write(`${renderDeliveries(deliveries)}\n\n${renderAttempts(attempts)}\n`);
}

type ChangeOptions = DeliveryFilters & RequestOptions & { readonly event?: readonly string[] };

const DONE = { resend: 'pending again', skip: 'skipped' } as const;
const PAST = { resend: 'resent', skip: 'skipped' } as const;

function change(kind: keyof typeof DONE, options: ChangeOptions): Promise<void> {
  const { event, sink, state, type, participant, since, until, json } = options;
  if ([event, state, type, since].every((given) => given === undefined)) {
    fail('Say which deliveries: with --event, --state, --type or --since.');
    return Promise.resolve();
  }
  return withSubscriberDatabase('requests', async (database) => {
    await checkEventFilters(database, options);
    const ids: string[] = [];
    for (const id of event ?? []) ids.push(await findEventId(database, id));
    const parameters = {
      ...(event !== undefined && { ids }),
      sink,
      states: state,
      types: type,
      participants: participant,
      since,
      until,
    };
    const result = await carryOut(database, { kind, parameters }, options);
    print(result, json, ({ changed }) =>
      changed === 0
        ? `No delivery that can be ${PAST[kind]} matches; nothing was changed.`
        : `${countDeliveries(changed)} ${DONE[kind]}.`,
    );
  });
}
