import type { KeyValue } from './loading/tables.js';

/** A record with this key was published with another content: what was published is never rewritten. */
export class RecordConflictError extends Error {
  override readonly name = 'RecordConflictError';

  /** @param index of the line, from 0, among those that were to be loaded together */
  constructor(
    readonly table: string,
    readonly key: Readonly<Record<string, KeyValue>>,
    readonly index: number,
  ) {
    super(`another ${table} published for ${JSON.stringify(key)}`);
  }
}
