import { Inject, Injectable, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { openDatabase, type Database } from '@ssb/database';
import { Readiness } from '@ssb/platform';
import { migrations } from '../records/migrations.js';
import { Records } from '../records/records.js';
import type { Settings } from '../settings.js';
import { remoteKeys } from '../tokens/keys.js';
import { TokenCheck } from '../tokens/token-check.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { troubleBoard } from '../trouble/trouble-board.provider.js';
import { Admission } from './admission.js';
import { Bodies } from './bodies.js';
import { Door } from './door.js';
import { OperatorController } from './operator.controller.js';
import { TroublesController } from './troubles.controller.js';

const DATABASE = Symbol('DATABASE');

/** The records' database lives as long as this side of the app, which closes last. */
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

/** The operator's side: the door that records come in by, and what both sides share. */
@Module({})
export class OperatorModule {
  static register(settings: Settings): DynamicModule {
    const { DATA_DIR, JWKS_URL, JWKS_CA_FILE, TOKEN_ISSUER, TOKEN_AUDIENCE } = settings;
    return {
      module: OperatorModule,
      controllers: [OperatorController, TroublesController],
      providers: [
        Door,
        TokenCheck,
        Admission,
        Bodies,
        troubleBoard,
        DatabaseLifetime,
        { provide: DATABASE, useFactory: () => openDatabase(DATA_DIR, migrations) },
        { provide: Records, useFactory: (database: Database) => new Records(database), inject: [DATABASE] },
        {
          provide: TokenVerifier,
          useFactory: () =>
            new TokenVerifier(remoteKeys(JWKS_URL, JWKS_CA_FILE), TOKEN_ISSUER, TOKEN_AUDIENCE),
        },
      ],
    };
  }
}
