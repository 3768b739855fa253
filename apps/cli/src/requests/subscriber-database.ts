import { databaseSettings, readSettings, SettingsError } from '@ssb/platform';
import { Database, DatabaseUnavailableError } from '@ssb/postgres';
import { fail } from '../fail.js';
import { commandEnvironment } from '../settings.js';

const SCHEMA = 'subscriber';

/** The role of DATABASE_URL: the one of the commands of people, or the run role of the subscriber. */
export type DatabaseRole = 'requests' | 'subscriber';

/** The command cannot do its work. The message is a sentence for its user. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
}

/** Runs the work with the subscriber's database. A failure is reported in one sentence. */
export async function withSubscriberDatabase(
  role: DatabaseRole,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  try {
    const database = new Database({ url: databaseUrl(role), schema: SCHEMA, connections: 1 });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  } catch (error) {
    fail(explainFailure(error, role));
  }
}

/** The address in DATABASE_URL, or that of a running `npm start`. */
export function findDatabaseUrl(role: DatabaseRole): string | undefined {
  return (
    commandEnvironment()[role === 'requests' ? 'DATABASE_URL' : 'SUBSCRIBER_DATABASE_URL'] ||
    commandEnvironment()['DATABASE_URL']
  );
}

function databaseUrl(role: DatabaseRole): string {
  const described = `the subscriber's database, with ${role === 'requests' ? 'the role requests' : 'its run role'}`;
  const url = findDatabaseUrl(role);
  if (!url) throw new RequestError(`DATABASE_URL is not set. Set it to ${described}.`);
  const DATABASE_URL = {
    ...databaseSettings.DATABASE_URL,
    doc: `URL of ${described}; sslmode configures TLS.`,
  };
  return readSettings({ DATABASE_URL }, { DATABASE_URL: url }).DATABASE_URL;
}

const UNDEFINED_TABLE_OR_COLUMN: readonly unknown[] = ['42P01', '42703', '3F000'];
const INSUFFICIENT_PRIVILEGE = '42501';
/** The server ended the statement, which took longer than its timeout. */
const QUERY_CANCELED = '57014';
/** The message of the trigger that limits the open requests is a sentence. */
const LIMIT_EXCEEDED = '53400';

function explainFailure(error: unknown, role: DatabaseRole): string {
  const { message, code } = error as { readonly message: string; readonly code?: string };
  if (error instanceof RequestError || error instanceof SettingsError || code === LIMIT_EXCEEDED)
    return message;
  if (UNDEFINED_TABLE_OR_COLUMN.includes(code))
    return 'The database lacks the migrations of this release, or it is not that of a subscriber. Apply them with the migration role of the subscriber, then run the command again.';
  if (code === INSUFFICIENT_PRIVILEGE)
    return role === 'requests'
      ? 'The role in DATABASE_URL lacks rights. Use the role requests, or one that is a member of it.'
      : 'The role in DATABASE_URL lacks rights. Use the run role of the subscriber.';
  if (code === QUERY_CANCELED)
    return 'The database did not respond in time. Choose fewer rows, such as with --since and --sink, then run the command again.';
  if (error instanceof DatabaseUnavailableError || code !== undefined)
    return `${message.replace(/[^.]$/, '$&.')} Check DATABASE_URL and that the server runs.`;
  throw error;
}
