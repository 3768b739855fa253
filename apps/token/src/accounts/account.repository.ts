import { Inject, Injectable } from '@nestjs/common';
import { BatchLoader, Database, type SqlSession } from '@ssb/postgres';
import { type SecretHash, secretHashSchema } from '@ssb/platform';
import { parseScopes, type Scope, formatScopes } from '../domain/scopes.js';

/** Characters. A shorter secret can be guessed. */
export const MIN_SECRET_LENGTH = 16;
export const MAX_SECRET_LENGTH = 1_024;

/** How long the previous secret may stay valid after a rotation: 31 days. */
export const MAX_GRACE_SECONDS = 31 * 86_400;

/** A participant user account: the OAuth client of document 001. */
export interface Account {
  /** The username of document 001, its `client_id`. */
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** Hashes of the valid secrets: the current one, and the previous one during its grace period. */
  readonly secrets: readonly SecretHash[];
  /** End of the previous secret's grace period; undefined when there is none. */
  readonly previousSecretUntil: Date | undefined;
  /** Tokens are bound to the client certificate of their request (RFC 8705 §3). */
  readonly bound: boolean;
  /** No more tokens are issued; existing ones stay valid until they expire. */
  readonly disabled: boolean;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** An account without the hashes of its secrets. */
export type AccountDetails = Omit<Account, 'secrets'>;

export interface NewAccount extends Pick<Account, 'clientId' | 'scopes' | 'bound'> {
  readonly secret: SecretHash;
}

export interface AccountPage {
  readonly accounts: readonly AccountDetails[];
  /** `after` of the next page, if there is one. */
  readonly next: string | undefined;
}

interface DetailsRow {
  readonly client_id: string;
  readonly scopes: string;
  readonly previous_until: Date | null;
  readonly bound: boolean;
  readonly disabled: boolean;
  readonly created_at: Date;
  readonly changed_at: Date;
}

interface Row extends DetailsRow {
  readonly secret: string;
  readonly previous_secret: string | null;
}

/** The clock of the database decides on the grace period, because all replicas share it. */
const DETAILS_COLUMNS = `client_id, scopes, bound, disabled, created_at, changed_at,
  CASE WHEN previous_until > now() THEN previous_until END AS previous_until`;
const COLUMNS = `${DETAILS_COLUMNS}, secret,
  CASE WHEN previous_until > now() THEN previous_secret END AS previous_secret`;

/** The table `account`. Every method throws DatabaseUnavailableError while the server is unavailable. */
@Injectable()
export class AccountRepository {
  private readonly loader = new BatchLoader((clientIds) => this.load(clientIds));

  constructor(@Inject(Database) private readonly database: SqlSession) {}

  /** The account with exactly this client id. */
  find(clientId: string): Promise<Account | undefined> {
    return this.loader.find(clientId);
  }

  /** At most `limit` accounts with client ids after `after`, ordered by client id. */
  async list(after: string, limit: number): Promise<AccountPage> {
    // Byte order does not depend on the collation of the database.
    const rows = await this.database.query<DetailsRow>(
      `SELECT ${DETAILS_COLUMNS} FROM account WHERE client_id COLLATE "C" > $1 ORDER BY client_id COLLATE "C" LIMIT $2`,
      [after, limit + 1],
    );
    const page = rows.slice(0, limit).map(toDetails);
    return { accounts: page, next: rows.length > limit ? page.at(-1)?.clientId : undefined };
  }

  /** Adds the account. Returns false and changes nothing if the client id exists. */
  async add(account: NewAccount): Promise<boolean> {
    const inserted = await this.database.query(
      `INSERT INTO account (client_id, scopes, secret, bound) VALUES ($1, $2, $3, $4)
       ON CONFLICT (client_id) DO NOTHING RETURNING client_id`,
      toColumns(account),
    );
    return inserted.length > 0;
  }

  /** Adds the account, or replaces its scopes, binding and secrets. A disabled account stays disabled. */
  async put(account: NewAccount): Promise<void> {
    await this.database.query(
      `INSERT INTO account (client_id, scopes, secret, bound) VALUES ($1, $2, $3, $4)
       ON CONFLICT (client_id) DO UPDATE SET scopes = EXCLUDED.scopes, secret = EXCLUDED.secret, bound = EXCLUDED.bound,
         previous_secret = NULL, previous_until = NULL, changed_at = now()`,
      toColumns(account),
    );
  }

  /** Sets a new secret. The previous one stays valid for `graceSeconds`. Returns false if the account does not exist. */
  async rotate(clientId: string, secret: SecretHash, graceSeconds: number): Promise<boolean> {
    const updated = await this.database.query(
      `UPDATE account SET secret = $2, changed_at = now(),
         previous_secret = CASE WHEN $3::int > 0 THEN secret END,
         previous_until = CASE WHEN $3::int > 0 THEN now() + make_interval(secs => $3::int) END
       WHERE client_id = $1 RETURNING client_id`,
      [clientId, JSON.stringify(secret), graceSeconds],
    );
    return updated.length > 0;
  }

  /** Disables or enables the account. Returns false if the account does not exist. */
  async setDisabled(clientId: string, disabled: boolean): Promise<boolean> {
    const updated = await this.database.query(
      `UPDATE account SET disabled = $2, changed_at = CASE WHEN disabled = $2 THEN changed_at ELSE now() END
       WHERE client_id = $1 RETURNING client_id`,
      [clientId, disabled],
    );
    return updated.length > 0;
  }

  private async load(clientIds: readonly string[]): Promise<ReadonlyMap<string, Account>> {
    // PostgreSQL text cannot contain NUL, so no client id does.
    const ids = clientIds.filter((clientId) => !clientId.includes('\0'));
    const sql = `SELECT ${COLUMNS} FROM account WHERE client_id = ANY($1::text[])`;
    const rows = await this.database.query<Row>(sql, [ids]);
    return new Map(rows.map((row) => [row.client_id, toAccount(row)]));
  }
}

function toColumns({ clientId, scopes, secret, bound }: NewAccount): [string, string, string, boolean] {
  return [clientId, formatScopes(scopes), JSON.stringify(secret), bound];
}

function toAccount(row: Row): Account {
  const secrets = [row.secret, row.previous_secret].flatMap((secret) =>
    secret === null ? [] : [parseHash(secret)],
  );
  return { ...toDetails(row), secrets };
}

function toDetails(row: DetailsRow): AccountDetails {
  return {
    clientId: row.client_id,
    scopes: parseScopes(row.scopes),
    previousSecretUntil: row.previous_until ?? undefined,
    bound: row.bound,
    disabled: row.disabled,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

function parseHash(text: string): SecretHash {
  return secretHashSchema.parse(JSON.parse(text));
}
