import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type NestModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { type Database, openDatabase } from '@ssb/database';
import { Readiness, readSecretFile } from '@ssb/platform';
import { ACCOUNT_STORE } from './accounts/account-store.js';
import { DatabaseAccounts } from './accounts/database-accounts.js';
import { ManageAccounts } from './accounts/manage-accounts.js';
import { VerifyClient } from './accounts/verify-client.js';
import { migrations, SCHEMA } from './database/migrations.js';
import { takeEveryMethod } from './every-method.js';
import { takeFormsAsText } from './form-body.js';
import { IssueToken } from './issue-token.js';
import type { Settings } from './settings.js';
import { keyTimes } from './signing/key-times.js';
import { SigningKeys } from './signing/signing-keys.js';
import { TlsReload } from './tls/tls-reload.js';
import { TokenController } from './token.controller.js';
import { WellKnownController } from './well-known.controller.js';

@Module({})
class TokenModule implements NestModule {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  /** Called before the routes are made. */
  configure(): void {
    const server = this.host.httpAdapter.getInstance();
    takeEveryMethod(server);
    takeFormsAsText(server);
  }
}

const DATABASE = Symbol('DATABASE');

/** The database lives as long as the public port, which closes last. */
@Injectable()
class DatabaseLifetime implements OnApplicationShutdown {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(Readiness) readiness: Readiness,
  ) {
    readiness.register('database', async () => {
      await database.query('SELECT 1');
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

/** The token service's parts, its database open and its first key made. */
export async function tokenModule(settings: Settings): Promise<DynamicModule> {
  const secret = await readSecretFile(settings.KEY_SECRET_FILE);
  const database = await openDatabase(settings.DATABASE_URL ?? settings.DATA_DIR, migrations, {
    schema: SCHEMA,
  });
  try {
    const keys = await SigningKeys.open(database, secret, keyTimes(settings.KEY_ROTATION_SECONDS));
    return moduleOf(database, keys);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function moduleOf(database: Database, keys: SigningKeys): DynamicModule {
  return {
    module: TokenModule,
    controllers: [TokenController, WellKnownController],
    providers: [
      { provide: DATABASE, useValue: database },
      DatabaseLifetime,
      { provide: SigningKeys, useValue: keys },
      { provide: ACCOUNT_STORE, useValue: new DatabaseAccounts(database) },
      ManageAccounts,
      VerifyClient,
      IssueToken,
      TlsReload,
    ],
  };
}
