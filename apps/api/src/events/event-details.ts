import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { DeliveryQueries } from '../deliveries/delivery-queries.js';
import type { DeliveryDetail } from '../deliveries/delivery-detail-dto.js';
import { findArchivedEvent, listProblemsOfEvent } from './archived-event.js';
import type { BusMessage, EventDetail } from './event-detail-dto.js';
import { figuresOf } from './event-figures.js';
import { describeVerdict, TrustedKeys } from './trusted-keys.js';

const MAX_DELIVERIES = 20;

/** Reads an event with everything that belongs to it. */
@Injectable()
export class EventDetails {
  constructor(
    private readonly database: Database,
    private readonly keys: TrustedKeys,
    private readonly deliveries: DeliveryQueries,
  ) {}

  /**
   * An event that the caller may see.
   * @param beginning its id, or the first 6 characters or more
   * @throws ProblemException 409 when several begin so
   */
  async find(caller: Caller, beginning: string): Promise<EventDetail | undefined> {
    const row = await findArchivedEvent(this.database, caller, beginning);
    if (row === undefined) return undefined;
    const { text, channel, messageId, sender, origin, signature, timestampNanos, archivedAtText, ...listed } =
      row;
    const event = JSON.parse(text) as Record<string, unknown>;
    const isLocal = row.marks.includes('local');
    const message: BusMessage = {
      id: messageId,
      channel,
      topic: String(event['topic']),
      sender,
      signature,
      timestampNanos,
      ...toTime(timestampNanos),
    };
    const signers = isLocal
      ? undefined
      : await this.keys.findSigners(caller, { channel, sender, origin, archivedAt: archivedAtText });
    return {
      ...listed,
      figures: figuresOf(row),
      event,
      text,
      ...(!isLocal && { message }),
      verdict: describeVerdict(row.marks, signers),
      problems: await listProblemsOfEvent(this.database, caller, row.id),
      ...(await this.listDeliveries(caller, row.id)),
    };
  }

  private async listDeliveries(
    caller: Caller,
    id: string,
  ): Promise<Pick<EventDetail, 'deliveries' | 'moreDeliveries' | 'deliveriesAddress'>> {
    const page = await this.deliveries.list(caller, { event: id, limit: MAX_DELIVERIES });
    const found: (DeliveryDetail | undefined)[] = [];
    for (const { eventId, sink } of page.items) found.push(await this.deliveries.find(caller, eventId, sink));
    return {
      deliveries: found.filter((each) => each !== undefined),
      moreDeliveries: page.next !== undefined,
      deliveriesAddress: `/v1/deliveries?event=${id}`,
    };
  }
}

const NANOS_PER_SECOND = 1_000_000_000n;
/** The end of the year 9999. */
const MAX_SECONDS = 253_402_300_799n;

/** RFC 3339 with nanoseconds; empty for a time that it cannot write. */
function toTime(nanos: string): Pick<BusMessage, 'appendedAt'> {
  if (!/^\d{1,25}$/.test(nanos)) return {};
  const [seconds, rest] = [BigInt(nanos) / NANOS_PER_SECOND, BigInt(nanos) % NANOS_PER_SECOND];
  if (seconds > MAX_SECONDS) return {};
  const second = new Date(Number(seconds) * 1_000).toISOString().slice(0, 19);
  return { appendedAt: `${second}.${String(rest).padStart(9, '0')}Z` };
}
