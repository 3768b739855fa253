import { readFileSync } from 'node:fs';
import {
  Inject,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OperatorClient, TokenSource } from '@ssb/market';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Scenario } from './domain/scenario.js';
import { Market } from './market.js';
import { play } from './play.js';
import type { Settings } from './settings.js';
import { ProgressFile } from './stage/progress-file.js';
import { Publisher } from './stage/publisher.js';
import { readScenario } from './stage/scenario-file.js';

const SCENARIO = Symbol('SCENARIO');

/** Starts the play with the app and ends it with the app. A play that cannot go on ends the process. */
@Injectable()
class Performance implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly curtain = new AbortController();
  private underWay: Promise<void> | undefined;
  private readonly tokens: TokenSource;
  private readonly door: OperatorClient;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SCENARIO) private readonly scenario: Scenario,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    const { TOKEN_URL, TOKEN_CLIENT_ID, TOKEN_CLIENT_SECRET, OPERATOR_URL, CA_FILE } = settings;
    const ca = CA_FILE === undefined ? undefined : readFileSync(CA_FILE);
    this.tokens = new TokenSource({
      authUrl: TOKEN_URL,
      clientId: TOKEN_CLIENT_ID,
      clientSecret: TOKEN_CLIENT_SECRET,
      scope: 'MARKETRECORDS',
      ca,
    });
    this.door = new OperatorClient({ baseUrl: OPERATOR_URL, tokenSource: this.tokens, ca });
  }

  onApplicationBootstrap(): void {
    const { PARTICIPANTS, SEED, SPEED, STATE_FILE } = this.settings;
    const seed = SEED ?? this.scenario.seed;
    const stage = {
      market: new Market(new Publisher(this.door, this.log), this.scenario.book, seed),
      participants: PARTICIPANTS,
      progress: new ProgressFile(STATE_FILE),
      log: this.log,
      hold: (ms: number) => ms / SPEED,
    };
    this.log.info(
      { step: 'playing', kind: this.scenario.kind, seed, participants: PARTICIPANTS },
      this.scenario.about,
    );
    this.underWay = play(this.scenario, stage, this.curtain.signal).catch((error: unknown) => {
      // Asked to stop is not a failure. Anything else stays unhandled here, and the chassis ends the process.
      if (!this.curtain.signal.aborted) throw error;
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.curtain.abort();
    await this.underWay;
    await this.door.close();
    await this.tokens.close();
  }
}

/** The simulator: reads its scenario, then plays it. */
@Module({})
export class SimulatorModule {
  static async register({ SCENARIO: nameOrPath }: Settings): Promise<DynamicModule> {
    return {
      module: SimulatorModule,
      providers: [Performance, { provide: SCENARIO, useValue: await readScenario(nameOrPath) }],
    };
  }
}
