import { randomUUID } from 'node:crypto';
import type { Fqcn } from '../../src/channels/names.js';
import type {
  Appended,
  LogChannel,
  LogEntry,
  MessageLog,
  NewMessage,
} from '../../src/storage/message-log.js';

/** Larger than anything a test writes. */
export const PAGE_LIMITS = { maxEntries: 1_000, maxBytes: 1_000_000 };
const HOUR_MS = 3_600_000;

/** A channel of its own for each test. */
export function createTestChannel(retentionMs = HOUR_MS): LogChannel {
  const fqcn = `${randomUUID()}.channels.a.apps.b.iam.c` as Fqcn;
  return { fqcn, createdAt: 1_767_225_600_000, retentionMs, maxMessageBytes: 1_048_576 };
}

export function createTestMessage(payload: string, more: Partial<NewMessage> = {}): NewMessage {
  return { topic: 'default', payload, signature: '0x01', sender: 'did:ethr:0xAb', ...more };
}

export const payloads = (entries: readonly LogEntry[]): string[] => entries.map(({ payload }) => payload);

/** Appends one message. @throws the error of its outcome */
export async function append(log: MessageLog, channel: LogChannel, message: NewMessage): Promise<Appended> {
  const [outcome] = await log.appendAll(channel, [message]);
  if (outcome?.status === 'fulfilled') return outcome.value;
  throw outcome?.reason;
}
