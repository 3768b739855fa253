import { standardOutput } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import { carryOut } from '../api/carry-out.js';
import type { DeliveryDetail, Operations } from '../api/operations.js';
import { withApi, type ApiOptions, type ListOptions, type RequestOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing, printResult, readRows } from '../output/listing.js';
import { DELIVERY_COLUMNS, renderDeliveries } from './render-deliveries.js';

type Query = Operations['GET /v1/deliveries']['query'];

export interface DeliveriesOptions extends ListOptions, Omit<Query, 'limit' | 'cursor'> {}

export interface ShowOptions extends ApiOptions, Pick<Query, 'sink'> {}

/** Of `resend` and `skip`. */
export interface ChangeOptions extends RequestOptions, Pick<Query, 'type' | 'participant'> {
  readonly event?: readonly string[];
  readonly sink?: string;
  /** Those that the command allows. */
  readonly state?: readonly 'parked'[];
  readonly since?: string;
  readonly until?: string;
}

export function listDeliveries(options: DeliveriesOptions): Promise<void> {
  const { sink, state, kind, type, participant, problem, event, since, until } = options;
  return withApi(options, async (api) => {
    const problemId = problem === undefined ? undefined : await findProblemId(api, problem);
    const query = { sink, state, kind, type, participant, problem: problemId, event, since, until };
    return printListing(
      api,
      '/v1/deliveries',
      { query, columns: DELIVERY_COLUMNS, empty: 'No deliveries match.' },
      options,
    );
  });
}

async function findProblemId(api: ApiClient, id: string): Promise<string> {
  return (await api.get('/v1/problems/{id}', { parts: { id } })).id;
}

/** Deliveries of an event that are shown with their attempts, the newest first. */
const MAX_SHOWN = 100;

export function showDeliveries(event: string, options: ShowOptions): Promise<void> {
  return withApi(options, async (api) => {
    const range = { limit: MAX_SHOWN, cursor: undefined };
    const { items, next } = await readRows(api, '/v1/deliveries', { event, sink: options.sink }, range).catch(
      nameTheId,
    );
    if (items.length === 0)
      throw new CommandError(
        `There is no delivery of ${event}. "busbridge deliveries list" shows the ids of events.`,
      );
    const deliveries: DeliveryDetail[] = [];
    for (const { eventId, sink } of items)
      deliveries.push(await api.get('/v1/deliveries/{eventId}/{sink}', { parts: { eventId, sink } }));
    const listing = next === undefined ? undefined : `busbridge deliveries list --event ${event}`;
    printResult({ items: deliveries, ...(next !== undefined && { next }) }, options.output, () =>
      renderDeliveries(deliveries, listing, standardOutput.width),
    );
  });
}

/** The API calls the id by its parameter, which is another option of other commands. */
function nameTheId(error: unknown): never {
  if (!(error instanceof CommandError)) throw error;
  throw new CommandError(error.message.replace(/^--event\b:?/, 'The event id'), error.status);
}

const DONE = { resend: 'pending again', skip: 'skipped' } as const;
const PAST = { resend: 'resent', skip: 'skipped' } as const;

export function changeDeliveries(kind: keyof typeof DONE, options: ChangeOptions): Promise<void> {
  const { event, sink, state, type, participant, since, until, comment, wait } = options;
  if ([event, state, type, since].every((given) => given === undefined))
    throw new CommandError('Say which deliveries: with --event, --state, --type or --since.', EXIT.usage);
  return withApi(options, async (api) => {
    const selection = {
      comment,
      events: event,
      sink,
      states: state,
      types: type,
      participants: participant,
      since,
      until,
    };
    const result = await carryOut(api, `/v1/deliveries/${kind}`, selection, { wait });
    printResult(result, options.output, ({ changed }) =>
      changed === 0
        ? `No delivery that can be ${PAST[kind]} matches; nothing was changed.`
        : `${countDeliveries(changed)} ${DONE[kind]}.`,
    );
  });
}

const MAX_SINKS = 1_000;

export interface ReplayOptions extends RequestOptions {
  readonly sink: string;
  readonly since: string;
  readonly until?: string;
  readonly type?: readonly string[];
  readonly participant?: readonly string[];
}

export function replayEvents(options: ReplayOptions): Promise<void> {
  const { sink, since, until, type, participant, comment, wait } = options;
  const selection = { comment, sink, since, until, types: type, participants: participant };
  return withApi(options, async (api) => {
    const result = await carryOut(api, '/v1/replay', selection, { wait });
    const isShown = options.output === 'table' && result['changed'] !== 0;
    const isDisabled = isShown && (await isSinkDisabled(api, sink));
    printResult(result, options.output, ({ changed }) =>
      changed === 0
        ? 'No archived event matches that the sink has not had; nothing was changed.'
        : `${countDeliveries(changed)} added.${isDisabled ? ` Nothing is sent while ${sink} is disabled: "busbridge sinks enable ${sink}".` : ''}`,
    );
  });
}

/** False also when the credentials may not list the sinks. */
async function isSinkDisabled(api: ApiClient, sink: string): Promise<boolean> {
  try {
    const { items } = await readRows(api, '/v1/sinks', {}, { limit: MAX_SINKS, cursor: undefined });
    return items.some(({ name, state }) => name === sink && state === 'disabled');
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** A number with its noun, as in `1 delivery is` and `2 deliveries are`. */
const countDeliveries = (count: unknown): string =>
  count === 1 ? '1 delivery is' : `${String(count)} deliveries are`;
