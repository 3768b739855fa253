import { METHODS } from 'node:http';
import {
  type DynamicModule,
  Injectable,
  Module,
  type NestModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Database, openDatabase } from '@ssb/database';
import { LOGGER, type Logger, Readiness, ServerTlsReload, readSecretFile } from '@ssb/platform';
import { AccountRepository } from './accounts/account.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { ClientAuthenticator } from './tokens/client-authenticator.js';
import { migrations, SCHEMA } from './database/migrations.js';
import { TokenService } from './tokens/token.service.js';
import type { Settings } from './settings.js';
import { toRotationTimes } from './domain/key-schedule.js';
import { SigningKeyStore } from './signing-keys/signing-key-store.js';
import { TokenController } from './tokens/token.controller.js';
import { WellKnownController } from './tokens/well-known.controller.js';

const FORM = 'application/x-www-form-urlencoded';

@Module({})
class TokenModule implements NestModule {
  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  /** Called before the routes are made. */
  configure(): void {
    const server = this.host.httpAdapter.getInstance();
    // The token endpoint answers every method itself: with 405 for all but POST.
    for (const method of METHODS)
      if (!server.supportedMethods.includes(method)) server.addHttpMethod(method, { hasBody: true });
    // A form stays text: the framework's parser refuses parameters that RFC 6749 §3.2 ignores.
    server.removeContentTypeParser(FORM);
    server.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, text, done) => done(null, text));
  }
}

/** The database lives as long as the public port, which closes last. */
@Injectable()
class DatabaseLifetime implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    readiness: Readiness,
  ) {
    readiness.register('database', async () => {
      await database.query('SELECT 1');
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

/** The providers of the token service; the database is opened and the first key is made before the first request. */
export async function tokenModule(settings: Settings): Promise<DynamicModule> {
  const secret = await readSecretFile(settings.KEY_SECRET_FILE);
  return {
    module: TokenModule,
    controllers: [TokenController, WellKnownController],
    providers: [
      {
        provide: Database,
        useFactory: (log: Logger) =>
          openDatabase({
            url: settings.DATABASE_URL,
            schema: SCHEMA,
            migrations,
            connections: settings.DATABASE_CONNECTIONS,
            onNotice: (notice) => log.warn(notice, 'database connection'),
          }),
        inject: [LOGGER],
      },
      DatabaseLifetime,
      {
        provide: SigningKeyStore,
        useFactory: (database: Database) => openKeys(database, secret, settings),
        inject: [Database],
      },
      AccountRepository,
      AccountsService,
      ClientAuthenticator,
      TokenService,
      ServerTlsReload.provider('token', () => settings.TLS_RELOAD_INTERVAL_MS),
    ],
  };
}

/** Nest does not shut down an application that it could not create, so a failure closes the database here. */
async function openKeys(database: Database, secret: Buffer, settings: Settings): Promise<SigningKeyStore> {
  try {
    return await SigningKeyStore.open(database, secret, toRotationTimes(settings.KEY_ROTATION_SECONDS));
  } catch (error) {
    await database.close();
    throw error;
  }
}
