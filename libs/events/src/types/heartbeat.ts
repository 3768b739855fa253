import type { EventDefinition } from '../definition.js';
import { constant, described, instant, integer, object, text, type ValueOf } from './json-schema.js';

export const MARKET_INTERFACES = ['prudential', 'settlement'] as const;
export type MarketInterface = (typeof MARKET_INTERFACES)[number];

const DAY_MS = 86_400_000;

/** How one interface of the operator is polled. Times are RFC 3339 in UTC with milliseconds. */
const interfacePolls = object(
  {
    intervalMs: described(integer(1, 7 * DAY_MS), 'Time between two polls, milliseconds.'),
    lastSuccess: described(instant, 'When the last successful poll ended; absent before the first one.'),
  },
  ['lastSuccess'],
);

const heartbeatData = object(
  {
    channel: described(text(255), 'Channel on which this heartbeat travels.'),
    intervalMs: described(integer(1, DAY_MS), 'Time to the next heartbeat, milliseconds.'),
    polls: described(
      object({
        prudential: described(interfacePolls, 'Prudential interface: operations 1 to 4.'),
        settlement: described(interfacePolls, 'Settlement interface: operations 5 to 10.'),
      }),
      'How the interfaces of the operator are polled.',
    ),
    test: described(
      constant(true),
      'Sent by a test of the pipeline: it says nothing about a poller, so it names no successful poll.',
    ),
  },
  ['test'],
);

export type InterfacePolls = ValueOf<typeof interfacePolls>;

/** The poller of a participant runs, and everything between it and the reader of the channel works. */
export type HeartbeatData = ValueOf<typeof heartbeatData>;

export type HeartbeatFact = HeartbeatData & { readonly participant: string };

/** Whether the event is a heartbeat that a test of the pipeline sent. */
export function isTestHeartbeat({ type, data }: { readonly type: string; readonly data: unknown }): boolean {
  return (
    type === 'settlementbus.bridge.heartbeat.v1' &&
    (data as Partial<HeartbeatData> | undefined)?.test === true
  );
}

export const heartbeat: EventDefinition<HeartbeatData> = {
  schema: heartbeatData,
  identity: {
    key: '{channel}[ {test:name}]',
    version: '{sequence}',
    subject: '{participant}/heartbeat/{channel}',
  },
  guide: {
    when: 'Every minute: the poller of the participant runs and the pipeline works. With `test: true` only a test of the pipeline.',
    response: 'Nothing. Raise an alarm when it is missing; the subscriber does that.',
    notRecovered: 'Past heartbeats have no value.',
  },
};
