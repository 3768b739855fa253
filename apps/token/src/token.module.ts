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
import { Database, openDatabase } from '@ssb/postgres';
import { LOGGER, type Logger, Readiness, readSecretFile, ServerTlsReload } from '@ssb/platform';
import { AccountRepository } from './accounts/account.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { migrations, SCHEMA } from './database/migrations.js';
import { toRotationTimes } from './domain/key-schedule.js';
import type { Settings } from './settings.js';
import { SigningKeyStore } from './signing-keys/signing-key-store.js';
import { ClientAuthenticator } from './tokens/client-authenticator.js';
import { TokenController } from './tokens/token.controller.js';
import { TokenService } from './tokens/token.service.js';
import { WellKnownController } from './tokens/well-known.controller.js';

const FORM = 'application/x-www-form-urlencoded';

@Module({})
export class TokenModule implements NestModule {
  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  /** Opens the database and creates the first signing key before the app serves requests. */
  static async register(settings: Settings): Promise<DynamicModule> {
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
              onConnectionEvent: (notice) => log.warn(notice, 'database connection changed'),
            }),
          inject: [LOGGER],
        },
        DatabaseLifetime,
        {
          provide: SigningKeyStore,
          useFactory: (database: Database) => openSigningKeys(database, secret, settings),
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

  /** Nest calls this before it creates the routes. */
  configure(): void {
    const server = this.host.httpAdapter.getInstance();
    // TokenController handles every method, and Fastify knows only some of them by default.
    for (const method of METHODS)
      if (!server.supportedMethods.includes(method)) server.addHttpMethod(method, { hasBody: true });
    // Document 001 needs a form. It stays text, because Fastify's parser refuses parameters that RFC 6749 §3.2 ignores.
    server.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, text, done) => done(null, text));
  }
}

/** Closes the database when the public port has closed. */
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

/** Closes the database on failure, because Nest does not shut down an application that it could not create. */
async function openSigningKeys(
  database: Database,
  secret: Buffer,
  settings: Settings,
): Promise<SigningKeyStore> {
  try {
    const times = toRotationTimes(settings.KEY_ROTATION_SECONDS);
    return await SigningKeyStore.open(database, secret, times);
  } catch (error) {
    await database.close();
    throw error;
  }
}
