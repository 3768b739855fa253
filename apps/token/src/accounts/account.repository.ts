import { Inject, Injectable } from '@nestjs/common';
import { BatchLoader, Database, type SqlSession } from '@ssb/database';
import { type SecretHash, secretHashSchema } from '@ssb/platform';
import { parseScopes, type Scope, formatScopes } from '../domain/scopes.js';

/** Characters. A given secret is stored by its hash, but a short one can be guessed all the same. */
export const MIN_SECRET_LENGTH = 16;
export const MAX_SECRET_LENGTH = 1_024;

/** How long the secret before a rotation may stay valid: a month. */
export const MAX_GRACE_SECONDS = 31 * 86_400;

/** A participant user account: the OAuth client of document 001. */
export interface Account {
  /** Its username, the `client_id`. */
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** The hash of its password, the `client_secret`; after a rotation with grace, that of the one before as well. */
  readonly secrets: readonly SecretHash[];
  /** Until when the secret from before the last rotation is valid, where it still is. */
  readonly previousSecretUntil: Date | undefined;
  /** Its tokens are bound to the client certificate that they were requested with (RFC 8705 §3). */
  readonly bound: boolean;
  /** Gets no more tokens. Those that it has end by themselves. */
  readonly disabled: boolean;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** An account without the hashes of its secrets, as an administrator reads it. */
export type AccountDetails = Omit<Account, 'secrets'>;

export interface NewAccount extends Pick<Account, 'clientId' | 'scopes' | 'bound'> {
  readonly secret: SecretHash;
}

export interface AccountPage {
  readonly accounts: readonly AccountDetails[];
  /** Start of the next page, if there is one. */
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

/** The previous secret is valid until `previous_until` by the clock of the database, which all replicas share. */
const DETAILS_COLUMNS = `client_id, scopes, bound, disabled, created_at, changed_at,
  CASE WHEN previous_until > now() THEN previous_until END AS previous_until`;
const COLUMNS = `${DETAILS_COLUMNS}, secret,
  CASE WHEN previous_until > now() THEN previous_secret END AS previous_secret`;

/** Accounts in the table `account`, shared by all replicas. Every method throws DatabaseUnavailableError while the server is away. */
@Injectable()
export class AccountRepository {
  private readonly found = new BatchLoader((clientIds) => this.lookUp(clientIds));

  constructor(@Inject(Database) private readonly database: SqlSession) {}

  /** The account with exactly this name. */
  find(clientId: string): Promise<Account | undefined> {
    return this.found.find(clientId);
  }

  /** Accounts with names after `after`, at most `limit`, in the order of their names. */
  async list(after: string, limit: number): Promise<AccountPage> {
    // Pages are in byte order, independent of the collation of the database.
    const rows = await this.database.query<DetailsRow>(
      `SELECT ${DETAILS_COLUMNS} FROM account WHERE client_id COLLATE "C" > $1 ORDER BY client_id COLLATE "C" LIMIT $2`,
      [after, limit + 1],
    );
    const page = rows.slice(0, limit).map(detailsOf);
    return { accounts: page, next: rows.length > limit ? page.at(-1)?.clientId : undefined };
  }

  /** Adds the account. Returns false and changes nothing if the name is taken. */
  async add(account: NewAccount): Promise<boolean> {
    const added = await this.database.query(
      `INSERT INTO account (client_id, scopes, secret, bound) VALUES ($1, $2, $3, $4)
       ON CONFLICT (client_id) DO NOTHING RETURNING client_id`,
      valuesOf(account),
    );
    return added.length > 0;
  }

  /** Adds the account, or replaces its scopes, binding and secrets. A disabled account stays disabled. */
  async put(account: NewAccount): Promise<void> {
    await this.database.query(
      `INSERT INTO account (client_id, scopes, secret, bound) VALUES ($1, $2, $3, $4)
       ON CONFLICT (client_id) DO UPDATE SET scopes = EXCLUDED.scopes, secret = EXCLUDED.secret, bound = EXCLUDED.bound,
         previous_secret = NULL, previous_until = NULL, changed_at = now()`,
      valuesOf(account),
    );
  }

  /** Sets a new secret. The previous one stays valid for `graceSeconds`. Returns false if there is no such account. */
  async rotate(clientId: string, secret: SecretHash, graceSeconds: number): Promise<boolean> {
    const changed = await this.database.query(
      `UPDATE account SET secret = $2, changed_at = now(),
         previous_secret = CASE WHEN $3::int > 0 THEN secret END,
         previous_until = CASE WHEN $3::int > 0 THEN now() + make_interval(secs => $3::int) END
       WHERE client_id = $1 RETURNING client_id`,
      [clientId, JSON.stringify(secret), graceSeconds],
    );
    return changed.length > 0;
  }

  /** Disables or enables the account. Returns false if there is no such account. */
  async setDisabled(clientId: string, disabled: boolean): Promise<boolean> {
    const changed = await this.database.query(
      `UPDATE account SET disabled = $2, changed_at = CASE WHEN disabled = $2 THEN changed_at ELSE now() END
       WHERE client_id = $1 RETURNING client_id`,
      [clientId, disabled],
    );
    return changed.length > 0;
  }

  private async lookUp(clientIds: readonly string[]): Promise<ReadonlyMap<string, Account>> {
    // PostgreSQL text cannot contain NUL, so no account name does.
    const names = clientIds.filter((clientId) => !clientId.includes('\0'));
    const sql = `SELECT ${COLUMNS} FROM account WHERE client_id = ANY($1::text[])`;
    const rows = await this.database.query<Row>(sql, [names]);
    return new Map(rows.map((row) => [row.client_id, accountOf(row)]));
  }
}

function valuesOf({ clientId, scopes, secret, bound }: NewAccount): [string, string, string, boolean] {
  return [clientId, formatScopes(scopes), JSON.stringify(secret), bound];
}

function accountOf(row: Row): Account {
  const secrets = [row.secret, row.previous_secret].flatMap((secret) =>
    secret === null ? [] : [readHash(secret)],
  );
  return { ...detailsOf(row), secrets };
}

function detailsOf(row: DetailsRow): AccountDetails {
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

function readHash(text: string): SecretHash {
  return secretHashSchema.parse(JSON.parse(text));
}
