import { publishRequest, readAcknowledgement, ROLE_STATES, wellFormedText } from '@ssb/bus';
import { isDid } from '@ssb/identity';
import { z } from 'zod';
import { isFqcn, isRoleName, isTopicName, type Fqcn } from '../domain/names.js';
import { LARGEST_MESSAGE, TEN_YEARS_MS } from '../settings.js';

/** What the broker takes on HTTP beyond the wire types of `@ssb/bus`: names in their form, every length bounded. */

const MOST_ENTRIES = 500;
const LONGEST_SCHEMA = 262_144;
const SHORTEST_AGE_NS = 1_000_000;
const LONGEST_AGE_NS = TEN_YEARS_MS * 1_000_000;

const fqcn = z.custom<Fqcn>(
  (value) => typeof value === 'string' && isFqcn(value),
  'must be {channel}.channels.{app}.apps.{organisation}.iam.{root}',
);

const did = z.string().max(255).refine(isDid, 'must be a DID of the form did:<method>:<address>');

const didOrRole = z
  .string()
  .refine((text) => isRoleName(text) || isDid(text), 'must be a DID or the name of a role');

/** Beyond 2^53, which is 104 days, a double still tells one microsecond from the next. */
const nanoseconds = z
  .number()
  .min(SHORTEST_AGE_NS)
  .max(LONGEST_AGE_NS)
  .refine(Number.isInteger, 'must be a whole number of nanoseconds');

const topic = z.object({
  namespace: z.string().refine(isTopicName, 'must be letters, digits, dots, dashes and underscores'),
  schema: z.string().min(1).max(LONGEST_SCHEMA),
});

const topics = z
  .array(topic)
  .max(MOST_ENTRIES)
  .refine(
    (list) => new Set(list.map(({ namespace }) => namespace)).size === list.length,
    'must not name a topic twice',
  );

// An empty list would read as "nobody" to one and as "everybody" to another: it is refused.
const members = z.array(didOrRole).min(1).max(MOST_ENTRIES);

/** `POST /channel` and `PATCH /channel`. */
export const channelRequest = z.object({
  fqcn,
  topics: topics.optional(),
  admins: z.array(didOrRole).max(MOST_ENTRIES).optional(),
  publishers: members.nullable().optional(),
  subscribers: members.nullable().optional(),
  maxMsgAge: nanoseconds.optional(),
  maxMsgSize: z.number().int().min(1).max(LARGEST_MESSAGE).optional(),
});

export const channelPath = z.object({ fqcn });

/** `GET /did/:did` */
export const didPath = z.object({ did });

/** `POST /message`. The payload's own limit is the channel's, and answered with 422. */
export const postedMessage = publishRequest.extend({
  fqcn: wellFormedText().min(1).max(255),
  topic: wellFormedText().min(1).max(255).optional(),
  signature: z.string().min(1).max(255),
  correlationId: wellFormedText().min(1).max(255).optional(),
});

export const clientId = wellFormedText().min(1).max(255);

/** `GET /message`; 100 messages when no amount is named. */
export const readQuery = z.object({
  fqcn: z.string().min(1).max(255),
  amount: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(1_000))
    .default(100),
  from: z.iso
    .datetime({ offset: true, message: 'must be an ISO 8601 date-time with Z or an offset' })
    .transform((text) => new Date(text))
    .optional(),
  clientId: clientId.default('default'),
  move: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
});

/** `POST /message/acknowledgement` */
export const readUpTo = readAcknowledgement.extend({
  fqcn: z.string().min(1).max(255),
  clientId: clientId.default('default'),
  upTo: z.string().min(1).max(255),
});

/** `GET /role/claims`, a page of which looks at some identities, in the order of their addresses. */
export const claimsQuery = z.object({
  state: z.enum(ROLE_STATES).optional(),
  identities: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(500))
    .default(500),
  after: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/, 'must be an address in small letters')
    .optional(),
});
