import { renderTable } from '@ssb/platform';
import type { ArchivedEvent, Page, QuarantinedMessage } from './storage/archive-entries.js';
import type { ArchiveQueries } from './storage/archive-queries.js';
import type { Undelivered } from './storage/undelivered.js';

export interface ListingOptions {
  /** Rejected messages instead of archived events. */
  readonly quarantine: boolean;
  /** Deliveries that are pending, parked or replaced, instead of archived events. */
  readonly deliveries: boolean;
  /** A JSON array instead of a table. */
  readonly json: boolean;
}

const PAGE_SIZE = 200;

/** Writes every archived event, every quarantined message or every delivery that its sink did not accept, in order of arrival. */
export async function writeListing(
  archive: ArchiveQueries,
  { quarantine, deliveries, json }: ListingOptions,
  write: (text: string) => void,
): Promise<void> {
  if (quarantine) {
    const all = readPages((page) => archive.listQuarantined(page));
    await (json
      ? writeJson(all, toQuarantineJson, write)
      : writeTable(all, QUARANTINE_HEADING, toQuarantineCells, write));
  } else if (deliveries) {
    const all = readPages((page) => archive.listUndelivered(page));
    await (json
      ? writeJson(all, toDeliveryJson, write)
      : writeTable(all, DELIVERY_HEADING, toDeliveryCells, write));
  } else {
    const all = readPages((page) => archive.listArchived(page));
    await (json
      ? writeJson(all, toArchiveJson, write)
      : writeTable(all, ARCHIVE_HEADING, toArchiveCells, write));
  }
}

async function* readPages<T extends { readonly position: bigint }>(
  read: (page: Page) => Promise<T[]>,
): AsyncGenerator<T> {
  let after = 0n;
  for (;;) {
    const rows = await read({ after, limit: PAGE_SIZE });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = last.position;
  }
}

async function writeJson<T>(
  rows: AsyncIterable<T>,
  shape: (row: T) => Record<string, unknown>,
  write: (text: string) => void,
): Promise<void> {
  let separator = '[\n';
  for await (const row of rows) {
    write(`${separator}${JSON.stringify(shape(row))}`);
    separator = ',\n';
  }
  write(separator === '[\n' ? '[]\n' : '\n]\n');
}

async function writeTable<T>(
  rows: AsyncIterable<T>,
  heading: readonly string[],
  shape: (row: T) => string[],
  write: (text: string) => void,
): Promise<void> {
  const lines: string[][] = [];
  for await (const row of rows) lines.push(shape(row).map(printable));
  write(lines.length === 0 ? 'No entries.\n' : `${renderTable(heading, lines)}\n`);
}

const MAX_CELL_LENGTH = 80;

/** Makes text from the network safe for a terminal: control characters become dots. */
function printable(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
  return clean.length <= MAX_CELL_LENGTH ? clean : `${clean.slice(0, MAX_CELL_LENGTH - 1)}…`;
}

const ARCHIVE_HEADING = ['#', 'ARCHIVED (UTC)', 'TYPE', 'SUBJECT', 'FACT TIME', 'MARKS', 'EVENT ID'];

function toArchiveCells(event: ArchivedEvent): string[] {
  const { position, archivedAt, type, subject, time, marks, eventId } = event;
  return [String(position), archivedAt.toISOString(), type, subject, time, marks.join(','), eventId];
}

function toArchiveJson({
  text,
  position,
  appendedAtNanos,
  ...event
}: ArchivedEvent): Record<string, unknown> {
  return { position: String(position), ...event, appendedAtNanos: String(appendedAtNanos), payload: text };
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
  const { position, quarantinedAt, reason, detail, channel, sender, messageId } = message;
  const state = toState(message);
  return [String(position), quarantinedAt.toISOString(), state, reason, detail, channel, sender, messageId];
}

/** `shortened`: open, but a later evaluation cannot accept it, because a part of its payload is missing. */
function toState({ releasedAt, payload, payloadBytes }: QuarantinedMessage): string {
  if (releasedAt !== undefined) return 'released';
  return payload.length < payloadBytes ? 'shortened' : 'open';
}

function toQuarantineJson(entry: QuarantinedMessage): Record<string, unknown> {
  const { payload, position, appendedAtNanos, ...message } = entry;
  return {
    position: String(position),
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
  'SINK',
  'TYPE',
  'SUBJECT',
  'ATTEMPTS',
  'LAST OUTCOME',
  'NEXT ATTEMPT (UTC)',
  'EVENT ID',
];

function toDeliveryCells(delivery: Undelivered): string[] {
  const { position, archivedAt, state, sink, type, subject, attempts, lastOutcome, replacedBy } = delivery;
  const outcome = state === 'replaced' ? `replaced by ${replacedBy}` : (lastOutcome ?? '');
  const next = delivery.parkedUntil?.toISOString() ?? '';
  const at = archivedAt.toISOString();
  return [
    String(position),
    at,
    state,
    sink,
    type,
    subject,
    String(attempts),
    outcome,
    next,
    delivery.eventId,
  ];
}

function toDeliveryJson({ position, ...delivery }: Undelivered): Record<string, unknown> {
  return { position: String(position), ...delivery };
}
