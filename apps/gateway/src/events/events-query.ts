import { MAX_WINDOW, MAX_NAMED_CHANNELS } from '@ssb/bus';
import { z } from 'zod';
import { CLIENT_ID_RULE, isClientId, MAX_NAME_LENGTH, UNNAMED_CLIENT_ID } from '../messages/bus-names.js';

/** How a WebSocket client of `/events` is served. */
export interface EventsOptions {
  /** Owner of the stored offset in each channel. */
  readonly clientId: string;
  /** Whether the client sent its own id. */
  readonly named: boolean;
  /** Whether the client acknowledges messages. Otherwise a message is acknowledged once the socket has accepted it. */
  readonly explicitAck: boolean;
  /** Maximum number of unacknowledged messages. Undefined: EVENTS_WINDOW. */
  readonly window: number | undefined;
  /** Whether successful sends get a reply, not only failed ones. */
  readonly replies: boolean;
  /** Whether gap frames report messages that were removed before delivery. */
  readonly gaps: boolean;
  /** Where a client id that is not known begins: now, oldest or an instant. Undefined: with the oldest message, which is not kept. */
  readonly from: string | undefined;
  /** Channels to listen to; undefined: every channel that the identity may read. */
  readonly fqcn: readonly string[] | undefined;
}

export type EventsQueryResult =
  | { readonly ok: true; readonly options: EventsOptions }
  | { readonly ok: false; readonly reason: string };

const eventsQuery = z.object({
  clientId: z.string().refine(isClientId, `clientId ${CLIENT_ID_RULE}`).optional(),
  ack: z.literal('explicit', 'ack takes the value explicit').optional(),
  window: z
    .string()
    .refine(
      (text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= MAX_WINDOW,
      `window takes a whole number from 1 to ${MAX_WINDOW}`,
    )
    .transform(Number)
    .optional(),
  replies: z.enum(['all', 'errors'], 'replies takes all or errors').optional(),
  gaps: z.literal('report', 'gaps takes the value report').optional(),
  from: z
    .union(
      [z.enum(['now', 'oldest']), z.iso.datetime()],
      'from takes now, oldest or a time of RFC 3339 in UTC',
    )
    .optional(),
});

/** Parses the query of an upgrade request. Unknown parameters are ignored. */
export function parseEventsQuery(parameters: URLSearchParams): EventsQueryResult {
  const invalid = (reason: string) => ({ ok: false, reason: `The query is wrong: ${reason}.` }) as const;
  const repeated = Object.keys(eventsQuery.shape).find((name) => parameters.getAll(name).length > 1);
  if (repeated !== undefined) return invalid(`${repeated} is repeated`);
  const result = eventsQuery.safeParse(Object.fromEntries(parameters));
  if (!result.success) return invalid(result.error.issues[0]?.message ?? '');
  const { clientId, ack, window, replies, gaps, from } = result.data;
  if (ack !== undefined && clientId === undefined) {
    return { ok: false, reason: 'ack=explicit needs a clientId, whose offset is kept.' };
  }
  if (from !== undefined && clientId === undefined) {
    return { ok: false, reason: 'from needs a clientId, whose start is kept.' };
  }
  const fqcn = parameters.getAll('fqcn');
  // The broker would refuse the whole frame without naming the client, and take an empty list for every channel.
  const isName = ({ length }: string): boolean => length >= 1 && length <= MAX_NAME_LENGTH;
  if (fqcn.length > MAX_NAMED_CHANNELS || !fqcn.every(isName)) {
    return invalid(`fqcn takes names of 1 to ${MAX_NAME_LENGTH} characters, ${MAX_NAMED_CHANNELS} of them`);
  }
  return {
    ok: true,
    options: {
      clientId: clientId ?? UNNAMED_CLIENT_ID,
      named: clientId !== undefined,
      explicitAck: ack !== undefined,
      window,
      replies: replies === 'all',
      gaps: gaps !== undefined,
      from,
      fqcn: fqcn.length > 0 ? fqcn : undefined,
    },
  };
}
