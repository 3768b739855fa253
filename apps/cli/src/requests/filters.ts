import { ALL_PARTICIPANTS } from '@ssb/events';
import type { Database } from '@ssb/postgres';
import type { Command } from 'commander';
import { collectDeliveryTypes, collectTypes } from '../event-types.js';
import { findConfig } from '../operator-config.js';
import { listSinks } from './list-sinks.js';
import { collect, collectNames, parseName, parseTime } from '../options.js';
import { RequestError } from './subscriber-database.js';

/** Options that choose events. */
export interface EventFilters {
  readonly type?: readonly string[];
  readonly participant?: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

/** Options that choose deliveries. */
export interface DeliveryFilters extends EventFilters {
  readonly sink?: string;
  readonly state?: readonly string[];
}

/** `--type` and `--participant`. */
export function addEventFilters(command: Command, furtherTypes = '', collector = collectTypes): Command {
  return command
    .option(
      '--type <type>',
      `event type, such as margin.breached, or margin.*${furtherTypes}; may be repeated`,
      collector,
    )
    .option('--participant <code>', 'may be repeated', collectNames);
}

/** @param what happened in the range of time of --since and --until */
export function addDeliveryFilters(command: Command, states: readonly string[], what: string): Command {
  const chosen = command
    .option('--sink <name>', 'only to this sink', parseName)
    .option('--state <state>', `${states.join(', ')}; may be repeated`, collect(states));
  return addEventFilters(chosen, ', or delivery.digest', collectDeliveryTypes)
    .option(
      '--since <time>',
      `${what} since this time, or for so long: 2026-01-31T16:00:00+08:00, 12h`,
      parseTime,
    )
    .option('--until <time>', `${what} before this time`, parseTime);
}

/** Filters that can match nothing are mistakes. @throws RequestError */
export async function checkEventFilters(
  database: Database,
  { participant: codes = [], since, until }: EventFilters,
): Promise<void> {
  if (since !== undefined && until !== undefined && since >= until)
    throw new RequestError(
      `--since ${since} is not before --until ${until}. Give the earlier time with --since.`,
    );
  const known = findConfig()?.participants.map(({ code }) => code);
  if (known === undefined) return;
  for (const code of codes)
    if (code !== ALL_PARTICIPANTS && !known.includes(code) && !(await hasEvents(database, code)))
      throw new RequestError(
        `${code} is not a participant of CONFIG_FILE, and has no archived events. Its participants: ${known.join(', ')}.`,
      );
}

/** A sink of CONFIG_FILE, or one that has had deliveries. @throws RequestError */
export async function checkSink(database: Database, sink: string | undefined): Promise<void> {
  if (sink === undefined) return;
  const known = new Set((await listSinks(database)).map((each) => each.sink));
  for (const { name } of findConfig()?.alerts.sinks ?? []) known.add(name);
  if (!known.has(sink))
    throw new RequestError(
      `The sink ${sink} is not in CONFIG_FILE, and has had no deliveries. Give one of ${[...known].toSorted().join(', ')}.`,
    );
}

async function hasEvents(database: Database, participant: string): Promise<boolean> {
  const rows = await database.query('SELECT FROM archive WHERE participant = $1 LIMIT 1', [participant]);
  return rows.length > 0;
}
