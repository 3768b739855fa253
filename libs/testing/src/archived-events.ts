import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const EXAMPLES = new URL('../../events/examples/', import.meta.url);

/** A session of the database of the subscriber. */
export interface ArchiveSession {
  query(sql: string, parameters: readonly (string | readonly string[] | null)[]): Promise<unknown>;
}

/** A signed event of the catalogue's examples. @param type such as `margin.breached` */
export function exampleEvent(type: string): Record<string, unknown> {
  const text = readFileSync(new URL(`settlementbus.${type}.v1.json`, EXAMPLES), 'utf8');
  return JSON.parse(text) as Record<string, unknown>;
}

export interface ArchivedEventOptions {
  /** Members that replace those of the example. */
  readonly event?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly severity?: 'info' | 'warning' | 'critical';
  readonly marks?: readonly string[];
  readonly archivedAt?: string;
}

/** A UUID of version 4 that follows from a name. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Archives an example event as the subscriber does. @returns its id */
export async function archiveEvent(
  session: ArchiveSession,
  type: string,
  options: ArchivedEventOptions = {},
): Promise<string> {
  const example = exampleEvent(type);
  const event: Record<string, unknown> = {
    ...example,
    ...options.event,
    data: { ...(example['data'] as object), ...options.data },
  };
  const [id, kind, subject, participant, sequence, time, detectedAt, channel] = [
    'id',
    'type',
    'subject',
    'participant',
    'sequence',
    'time',
    'detectedat',
    'channel',
  ].map((name) => String(event[name]));
  await session.query('INSERT INTO inbox (event_id, received_at) VALUES ($1, now())', [id ?? '']);
  await session.query(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
       appended_at_nanos, archived_at, event, marks, event_severity)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1772417731050000000, coalesce($13, now()), $14, $15, $16)`,
    [
      ...[id, kind, subject, participant, sequence, time, detectedAt, channel].map((text) => text ?? ''),
      `message-${id}`,
      'did:ethr:0x1111111111111111111111111111111111111111',
      'did:ethr:0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
      `0x${'ab'.repeat(65)}`,
      options.archivedAt ?? null,
      JSON.stringify(event),
      options.marks ?? [],
      options.severity ?? 'info',
    ],
  );
  return id ?? '';
}
