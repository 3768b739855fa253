/** How a column is kept, and so how its text is turned into it. `bytes` travel as base64. */
export type ColumnType = 'text' | 'date' | 'timestamp' | 'boolean' | 'integer' | 'bytes';

/** A table whose rows are written once and never changed. Its names come from this program only. */
export interface OnceTable {
  readonly name: string;
  /** What a record is found again by; a second one with the same key must be the same record. */
  readonly key: Readonly<Record<string, ColumnType>>;
  readonly rest: Readonly<Record<string, ColumnType>>;
  /** The column by which two records with one key are told apart. */
  readonly content: string;
}

export type KeyValue = string | number | boolean;

/** A row to be written. */
export interface OnceRow {
  readonly table: OnceTable;
  readonly key: Readonly<Record<string, KeyValue>>;
  readonly rest: Readonly<Record<string, string | null>>;
  /** The line that it came by, for whoever must be told that it is refused. */
  readonly line: number;
}

/** SQL that makes a column's value of its text. */
export function fromText(type: ColumnType, text: string): string {
  return type === 'bytes' ? `decode(${text}, 'base64')` : `${text}::${type}`;
}
