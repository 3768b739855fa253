import { renderTable, type TextOutput } from '@ssb/platform';
import { toPrintable } from '@ssb/net';
import type { ArchiveQueries } from './archive-queries.js';
import type { ArchivedEvent, Page, QuarantinedMessage, Undelivered } from './listed-entries.js';

export interface ListingOptions {
  /** Rejected messages instead of archived events. */
  readonly quarantine: boolean;
  /** Deliveries that are pending, parked, replaced or skipped, instead of archived events. */
  readonly deliveries: boolean;
  /** A JSON array instead of a table. */
  readonly json: boolean;
}

const PAGE_SIZE = 200;

/** Writes every archived event, every quarantined message or every delivery that its sink did not accept, in order of arrival. */
export async function writeListing(
  archive: ArchiveQueries,
  { quarantine, deliveries, json }: ListingOptions,
  output: Pick<TextOutput, 'write'>,
): Promise<void> {
  if (quarantine) {
    const all = readPages((page) => archive.listQuarantined(page));
    await (json
      ? writeJson(all, toQuarantineJson, output)
      : writeTable(all, QUARANTINE_HEADING, toQuarantineCells, output));
  } else if (deliveries) {
    const all = readPages((page) => archive.listUndelivered(page));
    await (json
      ? writeJson(all, toDeliveryJson, output)
      : writeTable(all, DELIVERY_HEADING, toDeliveryCells, output));
  } else {
    const all = readPages((page) => archive.listArchived(page));
    await (json
      ? writeJson(all, toArchiveJson, output)
      : writeTable(all, ARCHIVE_HEADING, toArchiveCells, output));
  }
}

async function* readPages<T extends { readonly offset: bigint }>(
  read: (page: Page) => Promise<T[]>,
): AsyncGenerator<T> {
  let after = 0n;
  for (;;) {
    const rows = await read({ after, limit: PAGE_SIZE });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = last.offset;
  }
}

async function writeJson<T>(
  rows: AsyncIterable<T>,
  shape: (row: T) => Record<string, unknown>,
  output: Pick<TextOutput, 'write'>,
): Promise<void> {
  let separator = '[\n';
  for await (const row of rows) {
    output.write(`${separator}${JSON.stringify(shape(row))}`);
    separator = ',\n';
  }
  output.write(separator === '[\n' ? '[]\n' : '\n]\n');
}

async function writeTable<T>(
  rows: AsyncIterable<T>,
  heading: readonly string[],
  shape: (row: T) => string[],
  output: Pick<TextOutput, 'write'>,
): Promise<void> {
  const lines: string[][] = [];
  for await (const row of rows) lines.push(shape(row).map(toCell));
  output.write(lines.length === 0 ? 'No entries.\n' : `${renderTable(heading, lines)}\n`);
}

const MAX_CELL_LENGTH = 80;

function toCell(text: string): string {
  return toPrintable(text, MAX_CELL_LENGTH);
}

const ARCHIVE_HEADING = ['#', 'ARCHIVED (UTC)', 'TYPE', 'SUBJECT', 'FACT TIME', 'MARKS', 'EVENT ID'];

function toArchiveCells(event: ArchivedEvent): string[] {
  const { offset, archivedAt, type, subject, time, marks, eventId } = event;
  return [String(offset), archivedAt.toISOString(), type, subject, time, marks.join(','), eventId];
}

function toArchiveJson({ text, offset, appendedAtNanos, ...event }: ArchivedEvent): Record<string, unknown> {
  return { offset: String(offset), ...event, appendedAtNanos: String(appendedAtNanos), payload: text };
}

const QUARANTINE_HEADING = [
  '#',
  'QUARANTINED (UTC)',
  'STATE',
  'REASON',
  'DETAIL',
  'CHANNEL',
  'SENDER',
  'MESSAGE',
];

function toQuarantineCells(message: QuarantinedMessage): string[] {
  const { offset, quarantinedAt, reason, detail, channel, sender, messageId } = message;
  const state = toState(message);
  return [String(offset), quarantinedAt.toISOString(), state, reason, detail, channel, sender, messageId];
}

/** `shortened`: open, but a later evaluation cannot accept it, because a part of its payload is missing. */
function toState({ releasedAt, payload, payloadBytes }: QuarantinedMessage): string {
  if (releasedAt !== undefined) return 'released';
  return payload.length < payloadBytes ? 'shortened' : 'open';
}

function toQuarantineJson(entry: QuarantinedMessage): Record<string, unknown> {
  const { payload, offset, appendedAtNanos, ...message } = entry;
  return {
    offset: String(offset),
    state: toState(entry),
    ...message,
    appendedAtNanos: String(appendedAtNanos),
    payload: payload.toString('utf8'),
  };
}

const DELIVERY_HEADING = [
  '#',
  'ARCHIVED (UTC)',
  'STATE',
  'KIND',
  'SINK',
  'TYPE',
  'SUBJECT',
  'ATTEMPTS',
  'LAST OUTCOME',
  'NEXT ATTEMPT (UTC)',
  'EVENT ID',
];

function toDeliveryCells(delivery: Undelivered): string[] {
  const {
    offset,
    archivedAt,
    state,
    kind,
    sink,
    type,
    subject,
    attempts,
    lastOutcome,
    replacedBy,
    withheld,
    digestId,
  } = delivery;
  const reason = digestId !== undefined && withheld !== undefined ? `in digest ${digestId}` : withheld;
  const outcome = state === 'replaced' ? `replaced by ${replacedBy}` : (reason ?? lastOutcome ?? '');
  const next = delivery.parkedUntil?.toISOString() ?? '';
  const at = archivedAt.toISOString();
  return [
    String(offset),
    at,
    state,
    kind,
    sink,
    type,
    subject,
    String(attempts),
    outcome,
    next,
    delivery.eventId,
  ];
}

function toDeliveryJson({ offset, ...delivery }: Undelivered): Record<string, unknown> {
  return { offset: String(offset), ...delivery };
}
