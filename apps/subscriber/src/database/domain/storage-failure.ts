/** What a failed write of messages means. */
export type StorageFailure =
  /** A message can never be stored as it is. It is parked. */
  | 'message'
  /** The identity sequence of a table is behind its rows. It is advanced, and the write is repeated. */
  | 'identity'
  /** The database or its schema is broken now. The write is repeated until it succeeds. */
  | 'database';

/** Classes of SQLSTATE (PostgreSQL, appendix A) that the values of a statement cause. Every other class is a failure of the database. */
const CAUSED_BY_VALUES: Readonly<Record<string, string>> = {
  '22': 'data exception: a character that the encoding lacks, a NUL, a number or a time out of range',
  '23': 'violated constraint',
  '54': 'program limit exceeded: a row, an index entry or an array that is too large',
};

const UNIQUE_VIOLATION = '23505';
/** The server cancelled the statement, which took longer than its timeout. */
const QUERY_CANCELED = '57014';
/** Primary keys that identity sequences fill. The values of a message are never in them. */
const IDENTITY_KEYS: ReadonlySet<unknown> = new Set([
  'archive_pkey',
  'quarantine_pkey',
  'quarantine_recheck_pkey',
  'request_pkey',
  'audit_pkey',
  'replica_pkey',
]);

/** Two transactions changed one problem at once. The repeated write sees the change of the other one. */
const PROBLEM_KEYS: ReadonlySet<unknown> = new Set(['problem_pkey', 'problem_open', 'problem_change_pkey']);

/** Classifies the error of a write. An error without a SQLSTATE is a failure of the database, unless Node cannot hold the statement. */
export function classifyStorageFailure(error: unknown): StorageFailure {
  if (error instanceof RangeError) return 'message';
  const state = readSqlState(error);
  if (state === undefined) return 'database';
  if (state === UNIQUE_VIOLATION && IDENTITY_KEYS.has(constraintOf(error))) return 'identity';
  if (state === UNIQUE_VIOLATION && PROBLEM_KEYS.has(constraintOf(error))) return 'database';
  return state.slice(0, 2) in CAUSED_BY_VALUES ? 'message' : 'database';
}

/** Whether a smaller batch may be stored in time. */
export function isStatementTimeout(error: unknown): boolean {
  return readSqlState(error) === QUERY_CANCELED;
}

/** Why a message cannot be stored, without its values. */
export function describeRefusal(error: unknown): string {
  const state = readSqlState(error);
  const meaning = state === undefined ? undefined : CAUSED_BY_VALUES[state.slice(0, 2)];
  if (state === undefined || meaning === undefined) return 'the statement is too large';
  const constraint = constraintOf(error);
  const name = typeof constraint === 'string' ? ` (${constraint})` : '';
  return `SQLSTATE ${state}, ${meaning}${name}`;
}

function constraintOf(error: unknown): unknown {
  return (error as { constraint?: unknown }).constraint;
}

function readSqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}
