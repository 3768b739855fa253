import { LARGEST_WINDOW, MOST_NAMED_CHANNELS } from '@ssb/bus';
import { z } from 'zod';
import { CLIENT_ID_RULE, clientId, UNNAMED_CLIENT } from './client-id.js';

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
  /** Tell of messages that were removed before the client got them. */
  readonly gaps: boolean;
  /** Channels to listen to; undefined: every channel that the identity may read. */
  readonly fqcn: readonly string[] | undefined;
}

export type EventsModeVerdict =
  { readonly ok: true; readonly mode: EventsMode } | { readonly ok: false; readonly reason: string };

export const LONGEST_FQCN = 255;

const query = z.object({
  clientId: clientId.optional(),
  ack: z.literal('explicit').optional(),
  window: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .transform(Number)
    .pipe(z.number().max(LARGEST_WINDOW))
    .optional(),
  replies: z.enum(['all', 'errors']).optional(),
  gaps: z.literal('tell').optional(),
});

const ALLOWED = {
  clientId: `clientId ${CLIENT_ID_RULE}`,
  ack: 'ack takes the value explicit',
  window: `window takes a whole number from 1 to ${LARGEST_WINDOW}`,
  replies: 'replies takes all or errors',
  gaps: 'gaps takes the value tell',
} as const;

/** Reads the query of an upgrade request; unknown parameters are passed over. */
export function readEventsMode(parameters: URLSearchParams): EventsModeVerdict {
  const repeated = Object.keys(ALLOWED).find((name) => parameters.getAll(name).length > 1);
  if (repeated !== undefined)
    return { ok: false, reason: `The query is wrong: ${repeated} stands there twice.` };
  const result = query.safeParse(Object.fromEntries(parameters));
  if (!result.success) {
    const name = result.error.issues[0]?.path[0] as keyof typeof ALLOWED;
    return { ok: false, reason: `The query is wrong: ${ALLOWED[name]}.` };
  }
  const { ack, window, replies, gaps } = result.data;
  const name = result.data.clientId;
  if (ack !== undefined && name === undefined) {
    return { ok: false, reason: 'ack=explicit needs a clientId, whose position is kept.' };
  }
  const fqcn = parameters.getAll('fqcn');
  // The broker would refuse the whole frame and could not say to which client; no name at all would be every channel.
  if (fqcn.length > MOST_NAMED_CHANNELS || fqcn.some((name) => name === '' || name.length > LONGEST_FQCN)) {
    const reason = `fqcn takes names of 1 to ${LONGEST_FQCN} characters, ${MOST_NAMED_CHANNELS} of them.`;
    return { ok: false, reason: `The query is wrong: ${reason}` };
  }
  return {
    ok: true,
    mode: {
      clientId: name ?? UNNAMED_CLIENT,
      named: name !== undefined,
      reliable: ack !== undefined,
      window,
      replies: replies === 'all',
      gaps: gaps !== undefined,
      fqcn: fqcn.length > 0 ? fqcn : undefined,
    },
  };
}
