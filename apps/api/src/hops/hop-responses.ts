import { toPrintable } from '@ssb/net';
import { z } from 'zod';

const MAX_TEXT_LENGTH = 1_000;

/** Text of another app, which may repeat what a server has sent. */
const text = z.string().transform((value) => toPrintable(value, MAX_TEXT_LENGTH));
const count = z.number().int().min(0);
const time = z.iso.datetime();

/** `/health` of any app. An earlier release sends no version and no certificates. */
export const healthResponse = z.object({
  status: z.enum(['ok', 'degraded', 'error']),
  version: text.optional(),
  checks: z.record(text, z.object({ status: z.enum(['up', 'down']), message: text.optional() })),
  faults: z.array(
    z.object({
      reason: text,
      participant: text,
      channel: text.optional(),
      interface: text.optional(),
      document: text.optional(),
      detail: text,
      since: time,
    }),
  ),
  certificates: z
    .array(z.object({ name: text, participant: text.optional(), daysLeft: z.number() }))
    .default([]),
});
export type HealthResponse = z.output<typeof healthResponse>;

/** `/state` of the poller. */
export const pollerState = z.object({
  participants: z.array(
    z.object({
      participant: text,
      leaseHolder: text.optional(),
      interfaces: z
        .array(
          z.object({
            interface: text,
            lastSuccessAt: time.optional(),
            budgets: z.array(z.object({ seconds: z.number(), requests: count, used: count.optional() })),
          }),
        )
        .optional(),
    }),
  ),
});
export type PollerState = z.output<typeof pollerState>;

/** `/open-items` of the poller. */
export const openItemList = z.object({
  participants: z.array(text),
  items: z.array(
    z.object({
      participant: text,
      kind: text,
      interface: text.optional(),
      market: text.optional(),
      periodFrom: text.optional(),
      designation: text.optional(),
      period: text.optional(),
      invoiceNumber: text.optional(),
      expectedOn: text.optional(),
      since: time.optional(),
      overdueSince: time.optional(),
      checkedAt: time.optional(),
      detail: text.optional(),
    }),
  ),
  furtherItems: count,
});

/** `/state` of the bus-publisher. */
export const publisherState = z.object({
  queue: z
    .object({
      waiting: count,
      active: count,
      delayed: count,
      failed: count,
      oldestWaitingSeconds: z.number(),
      deadLetters: count,
      unverifiedDeadLetters: count,
    })
    .optional(),
});
export type PublisherState = z.output<typeof publisherState>;

const deadLetter = z.object({
  id: text,
  verified: z.boolean(),
  type: text.optional(),
  participant: text.optional(),
  subject: text.optional(),
  reason: text,
  cause: text.optional(),
  deadLetteredAt: text,
  retriedAt: text.optional(),
});
const next = z.string().max(300).optional();

export const deadLetterPage = z.object({ items: z.array(deadLetter), next });
export const deadLetterDetails = deadLetter.extend({
  event: z.record(z.string(), z.unknown()).optional(),
  eventBytes: count,
});
export const retriedLetter = z.object({ id: text, outcome: text, reason: text.optional() });
export const retriedPage = z.object({ items: z.array(retriedLetter), next });
export const removedLetter = deadLetter;

export const backfill = z.object({
  participant: text,
  from: text,
  to: text,
  dryRun: z.boolean(),
  state: z.enum(['requested', 'running', 'paused', 'done']),
  stepsDone: count,
  stepsTotal: count.optional(),
  events: count,
  types: z.array(z.object({ type: text, events: count })),
  failureCount: count,
  failures: z.array(z.object({ what: text, reason: text })),
  waitingFor: text.optional(),
  startedAt: time.optional(),
  updatedAt: time.optional(),
});
export const backfillList = z.object({ items: z.array(backfill) });
export const listedEvents = z.object({
  items: z.array(z.object({ id: text, type: text, subject: text, time: text })),
  next,
});
export const startedBackfill = z.object({ outcome: z.enum(['started', 'continued']), backfill });

/** A part of a compressed record. */
export const recordPart = z.object({ bytes: count, content: z.base64() });

/** RFC 9457. */
export const problemResponse = z.object({
  detail: text.optional(),
  title: text.optional(),
  faults: z.array(z.object({ path: text })).optional(),
});
