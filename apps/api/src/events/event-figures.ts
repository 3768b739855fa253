import { readEventFigures, type Figures } from '@ssb/events';
import type { Database } from '@ssb/postgres';

/** Bytes of the events that are in memory at once; at least one event. */
const MAX_BATCH_BYTES = 1_048_576;

/** Where an event is in the archive, and how large it is. */
interface SizedEvent {
  readonly offset: number;
  readonly bytes: number;
}

interface EventText {
  readonly type: string;
  readonly text: string;
}

/** The figures of an event; none when somebody has changed its text to one that is not an event. */
export function figuresOf({ type, text }: EventText): Figures {
  try {
    return readEventFigures(type, (JSON.parse(text) as { readonly data?: unknown }).data);
  } catch {
    return {};
  }
}

/** The figures of these events by their offsets. An event that was deleted meanwhile has none. */
export async function readFiguresOf(
  database: Database,
  events: readonly SizedEvent[],
): Promise<ReadonlyMap<number, Figures>> {
  const figures = new Map<number, Figures>();
  for (const offsets of toBatches(events)) {
    // PostgreSQL refuses to read JSON with a NUL, which an event can have.
    const rows = await database.query<EventText & { readonly offset: number }>(
      'SELECT archive_offset AS "offset", type, event AS text FROM archive WHERE archive_offset = ANY ($1::bigint[])',
      [offsets],
    );
    for (const row of rows) figures.set(row.offset, figuresOf(row));
  }
  return figures;
}

function toBatches(events: readonly SizedEvent[]): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let room = 0;
  for (const { offset, bytes } of events) {
    room -= bytes;
    const batch = batches.at(-1);
    if (batch !== undefined && room >= 0) {
      batch.push(offset);
      continue;
    }
    batches.push([offset]);
    room = MAX_BATCH_BYTES - bytes;
  }
  return batches;
}
