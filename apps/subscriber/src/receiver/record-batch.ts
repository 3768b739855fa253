import { reject } from './domain/rejection.js';
import {
  classifyStorageFailure,
  describeRefusal,
  isStatementTimeout,
} from '../database/domain/storage-failure.js';
import {
  toAscii,
  type ArchiveEntry,
  type RecordResult,
  type RejectedEntry,
} from '../archive/archive-entries.js';

/** Records entries in one transaction. @returns one result per entry, in the same order */
type RecordEntries = (entries: readonly ArchiveEntry[]) => Promise<RecordResult[]>;

export interface RecordBatchOptions {
  /** Results of parts that are durable, kept for the next attempt: recorded again, their entries would be repeats. */
  readonly recorded: Map<ArchiveEntry, RecordResult>;
  /** Called for a message that can be neither stored nor parked. */
  readonly onLost: (entry: ArchiveEntry, error: unknown) => void;
  /** Called for a batch that takes longer than the timeout, before it is halved. */
  readonly onTimeout: (error: unknown, count: number) => void;
}

/**
 * Records a batch although the database can never store some of its messages: the batch is halved until they are found, and each of them is
 * parked in the quarantine. A batch that takes longer than the timeout of a statement is halved as well; a single message is not parked for it,
 * because a lock of the database has the same effect.
 * @returns one result per entry, in the same order
 * @throws LeaseLostError, and every failure that another attempt may overcome; a repeated call is harmless
 */
export async function recordBatch(
  entries: readonly ArchiveEntry[],
  record: RecordEntries,
  options: RecordBatchOptions,
): Promise<RecordResult[]> {
  const { recorded } = options;
  const rest = entries.filter((entry) => !recorded.has(entry));
  await recordPart(rest, record, options);
  return entries.flatMap((entry) => recorded.get(entry) ?? []);
}

async function recordPart(
  entries: readonly ArchiveEntry[],
  record: RecordEntries,
  options: RecordBatchOptions,
): Promise<void> {
  const [entry] = entries;
  if (entry === undefined) return;
  const { recorded } = options;
  try {
    const results = await record(entries);
    results.forEach((result, at) => recorded.set(entries[at] ?? entry, result));
  } catch (error) {
    if (!isHalved(entries, error, options)) throw error;
    if (entries.length === 1) {
      recorded.set(entry, await park(entry, error, record, options));
      return;
    }
    const middle = Math.ceil(entries.length / 2);
    await recordPart(entries.slice(0, middle), record, options);
    await recordPart(entries.slice(middle), record, options);
  }
}

function isHalved(
  { length }: readonly ArchiveEntry[],
  error: unknown,
  { onTimeout }: RecordBatchOptions,
): boolean {
  if (classifyStorageFailure(error) === 'message') return true;
  if (length === 1 || !isStatementTimeout(error)) return false;
  onTimeout(error, length);
  return true;
}

/** Stores the payload as bytes. Where even channel or sender cannot be stored, they are stored in ASCII. */
async function park(
  entry: ArchiveEntry,
  cause: unknown,
  record: RecordEntries,
  { onLost }: RecordBatchOptions,
): Promise<RecordResult> {
  const parked = toUnstorable(entry, cause);
  for (const attempt of [parked, inAscii(parked)]) {
    try {
      const [result] = await record([attempt]);
      if (result !== undefined) return result;
    } catch (error) {
      if (classifyStorageFailure(error) !== 'message') throw error;
    }
  }
  onLost(entry, cause);
  return { kind: 'quarantined', reason: parked.reason, detail: parked.detail };
}

function toUnstorable(entry: ArchiveEntry, cause: unknown): RejectedEntry {
  if (entry.kind === 'rejected') return entry;
  const { message, event } = entry;
  return {
    kind: 'rejected',
    message,
    ...reject('not-storable', `${event.type} ${event.id}: ${describeRefusal(cause)}`),
    trustedSource: { sender: message.sender, participant: event.participant },
  };
}

function inAscii({ message, detail, trustedSource, ...entry }: RejectedEntry): RejectedEntry {
  const { id, fqcn, topic, sender, signature, transactionId } = message;
  return {
    ...entry,
    detail: toAscii(detail),
    message: {
      ...message,
      id: toAscii(id),
      fqcn: toAscii(fqcn),
      sender: toAscii(sender),
      signature: toAscii(signature),
      ...(topic !== undefined && { topic: toAscii(topic) }),
      ...(transactionId !== undefined && { transactionId: toAscii(transactionId) }),
    },
    ...(trustedSource && {
      trustedSource: {
        sender: toAscii(trustedSource.sender),
        participant: toAscii(trustedSource.participant),
      },
    }),
  };
}
