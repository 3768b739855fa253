import { LARGEST_WINDOW, MOST_NAMED_CHANNELS } from '@ssb/bus';
import { z } from 'zod';
import { GatewayFailure } from '../http/gateway-exception.js';

/** What clients name in `GET message` and `/events`: channels, clients, moments, and how they want to be served. */

/** Characters (UTF-16 code units) of a channel's or a topic's name; a broker of this bus makes none that is longer. */
const MAX_NAME_LENGTH = 255;

/**
 * A name that is longer than any can be is one of a channel or topic that does not exist (document 002, "Errors"). It is not repeated
 * to the caller: it may be megabytes.
 * @throws GatewayFailure 404 BUS::CHANNEL_NOT_FOUND
 */
export function requirePossibleNames({ fqcn, topic = '' }: { fqcn: string; topic?: string }): void {
  for (const [what, { length }] of Object.entries({ channel: fqcn, topic })) {
    if (length <= MAX_NAME_LENGTH) continue;
    const reason = `There is no such ${what}: its name has ${length} characters, and none has more than ${MAX_NAME_LENGTH}.`;
    throw new GatewayFailure(404, 'BUS::CHANNEL_NOT_FOUND', reason, { length, longest: MAX_NAME_LENGTH });
  }
}

/** Whose position is read by those that give none. */
export const USUAL_CLIENT = 'default';

/** The broker's client id of those that give none at `/events`, and, before a colon, of those that listen to certain channels alone. */
export const UNNAMED_CLIENT = 'websocket';

/** Characters of a client id; the broker takes no more. */
const MAX_CLIENT_ID_LENGTH = 200;

export const CLIENT_ID_RULE = `takes a name of at most ${MAX_CLIENT_ID_LENGTH} characters other than ${UNNAMED_CLIENT}, which is reserved`;

/** The name that a client gives itself. One that is reserved would take the place of the unnamed ones, or read in their stead. */
export function isClientId(text: string): boolean {
  const isReserved = text === UNNAMED_CLIENT || text.startsWith(`${UNNAMED_CLIENT}:`);
  return text.length >= 1 && text.length <= MAX_CLIENT_ID_LENGTH && !isReserved;
}

export interface ReadQuery {
  readonly fqcn: string;
  readonly amount?: number;
  /** ISO 8601, UTC, to the millisecond. */
  readonly from?: string;
  readonly clientId?: string;
}

/** The broker gives no more at once; a client that got fewer than it named would take them for all. */
export const MAX_AMOUNT = 1_000;

/** `2026-11-20T01:02:03Z`, with any fraction; a date-time without a zone is UTC (document 002, GET message). */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** A moment in ISO 8601, UTC, to the millisecond; undefined for what is none. */
export function readMoment(text: string): string | undefined {
  // In a query an unescaped plus sign of an offset arrives as a space.
  const [, local = '', zone = 'Z'] = DATE_TIME.exec(text.trim().replace(' ', '+')) ?? [];
  const milliseconds = isDay(local) ? Date.parse(local + zone) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

/** Date.parse takes 30 February for 2 March. */
function isDay(local: string): boolean {
  const day = local.slice(0, 10);
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** How a WebSocket client of `/events` wants to be served. */
export interface EventsMode {
  /** Whose position in each channel this is. */
  readonly clientId: string;
  /** The client gave the name itself. */
  readonly named: boolean;
  /** The client acknowledges what it holds; otherwise a message counts as received once the socket has taken it. */
  readonly reliable: boolean;
  /** Most unacknowledged messages; undefined: the gateway's setting. */
  readonly window: number | undefined;
  /** Answer successful sends too, not failed ones alone. */
  readonly replies: boolean;
  /** Report messages that were removed before the client got them. */
  readonly gaps: boolean;
  /** Channels to listen to; undefined: every channel that the identity may read. */
  readonly fqcn: readonly string[] | undefined;
}

export type EventsModeVerdict =
  | { readonly ok: true; readonly mode: EventsMode }
  | { readonly ok: false; readonly reason: string };

const eventsQuery = z.object({
  clientId: z.string().refine(isClientId, `clientId ${CLIENT_ID_RULE}`).optional(),
  ack: z.literal('explicit', 'ack takes the value explicit').optional(),
  window: z
    .string()
    .refine(
      (text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= LARGEST_WINDOW,
      `window takes a whole number from 1 to ${LARGEST_WINDOW}`,
    )
    .transform(Number)
    .optional(),
  replies: z.enum(['all', 'errors'], 'replies takes all or errors').optional(),
  gaps: z.literal('tell', 'gaps takes the value tell').optional(),
});

/** Reads the query of an upgrade request; unknown parameters are passed over. */
export function readEventsMode(parameters: URLSearchParams): EventsModeVerdict {
  const wrong = (reason: string) => ({ ok: false, reason: `The query is wrong: ${reason}.` }) as const;
  const repeated = Object.keys(eventsQuery.shape).find((name) => parameters.getAll(name).length > 1);
  if (repeated !== undefined) return wrong(`${repeated} stands there twice`);
  const result = eventsQuery.safeParse(Object.fromEntries(parameters));
  if (!result.success) return wrong(result.error.issues[0]?.message ?? '');
  const { clientId, ack, window, replies, gaps } = result.data;
  if (ack !== undefined && clientId === undefined) {
    return { ok: false, reason: 'ack=explicit needs a clientId, whose position is kept.' };
  }
  const fqcn = parameters.getAll('fqcn');
  // The broker would refuse the whole frame and could not say to which client; no name at all would be every channel.
  const isName = ({ length }: string): boolean => length >= 1 && length <= MAX_NAME_LENGTH;
  if (fqcn.length > MOST_NAMED_CHANNELS || !fqcn.every(isName)) {
    return wrong(`fqcn takes names of 1 to ${MAX_NAME_LENGTH} characters, ${MOST_NAMED_CHANNELS} of them`);
  }
  return {
    ok: true,
    mode: {
      clientId: clientId ?? UNNAMED_CLIENT,
      named: clientId !== undefined,
      reliable: ack !== undefined,
      window,
      replies: replies === 'all',
      gaps: gaps !== undefined,
      fqcn: fqcn.length > 0 ? fqcn : undefined,
    },
  };
}
