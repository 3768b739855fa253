/** There is no connection to the database, or the one in use broke. Whether the statement ran is not known. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  /** SQLSTATE where the server itself said why, else the system's code, e.g. ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(reason: string, options?: { cause?: unknown; code?: string | undefined }) {
    super(`The database cannot be used: ${reason}.`, options);
    this.code = options?.code;
  }
}

/** A transaction went on after one of its statements failed. Nothing of it is kept. */
export class TransactionAbortedError extends Error {
  override readonly name = 'TransactionAbortedError';

  constructor() {
    super('The transaction was rolled back, because one of its statements failed and the error was ignored.');
  }
}

/** An address, schema or channel that this library does not take: misuse. */
export class InvalidDatabaseNameError extends Error {
  override readonly name = 'InvalidDatabaseNameError';

  constructor(
    readonly what: 'schema' | 'channel',
    readonly given: string,
  ) {
    super(
      `${JSON.stringify(given.slice(0, 60))} is no ${what}: lower-case letters, digits and underscores, at most 30.`,
    );
  }
}

/** The name itself, when it needs no quotes in SQL. @throws InvalidDatabaseNameError */
export function plainName(what: 'schema' | 'channel', given: string): string {
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(given)) throw new InvalidDatabaseNameError(what, given);
  return given;
}
