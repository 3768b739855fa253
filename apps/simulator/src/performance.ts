import { readFileSync } from 'node:fs';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { marketToday, OperatorClient, toInstant, TokenSource } from '@ssb/market';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Scenario } from './domain/scenario.js';
import { summaryText, Tally } from './domain/tally.js';
import { Market } from './market.js';
import { play } from './play.js';
import type { Settings } from './settings.js';
import { ownClock, realClock, steppedClock, type Clock } from './stage/clock.js';
import { ProgressFile } from './stage/progress-file.js';
import { Publisher } from './stage/publisher.js';
import type { Stage } from './stage/stage.js';
import { NoMoreStepsError, Steps } from './stage/steps.js';

export const SCENARIO = Symbol('SCENARIO');
/** Where the steps of a play are read from: standard input, outside of tests. */
export const STEP_INPUT = Symbol('STEP_INPUT');
/** Ends the process in order, outside of tests. */
export const LEAVE = Symbol('LEAVE');

/**
 * Starts the play with the app and ends it with the app; whichever ends first, the summary follows. A play that cannot go on
 * ends the process.
 */
@Injectable()
export class Performance implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly curtain = new AbortController();
  private readonly tally = new Tally();
  private readonly tokens: TokenSource;
  private readonly door: OperatorClient;
  private steps: Steps | undefined;
  private underWay: Promise<void> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SCENARIO) private readonly scenario: Scenario,
    @Inject(STEP_INPUT) private readonly stepInput: () => NodeJS.ReadableStream,
    @Inject(LEAVE) private readonly leave: () => void,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    const { TOKEN_URL, TOKEN_CLIENT_ID, TOKEN_CLIENT_SECRET, OPERATOR_URL, CA_FILE } = settings;
    const ca = CA_FILE === undefined ? undefined : readFileSync(CA_FILE);
    this.tokens = new TokenSource({
      authUrl: TOKEN_URL,
      clientId: TOKEN_CLIENT_ID,
      clientSecret: TOKEN_CLIENT_SECRET,
      scope: 'MARKETRECORDS MARKETTROUBLE',
      ca,
    });
    this.door = new OperatorClient({ baseUrl: OPERATOR_URL, tokenSource: this.tokens, ca });
  }

  onApplicationBootstrap(): void {
    const stage = this.stage();
    const { participants, from, until } = stage;
    const { kind, about } = this.scenario;
    const seed = stage.market.seed;
    this.log.info({ step: 'playing', kind, seed, participants, from, until }, about);
    this.underWay = this.perform(stage);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.curtain.abort();
    await this.underWay;
    this.steps?.close();
    await this.door.close();
    await this.tokens.close();
  }

  private async perform(stage: Stage): Promise<void> {
    const began = performance.now();
    const { signal } = this.curtain;
    try {
      await play(this.scenario, stage, signal);
    } catch (error) {
      // Asked to stop, or no more steps, is not a failure. Anything else stays unhandled here, and the chassis ends the process.
      if (error instanceof NoMoreStepsError) this.log.info({ step: 'finished' }, error.message);
      else if (!signal.aborted) throw error;
    } finally {
      const ms = Math.round(performance.now() - began);
      const { outcomes, rows } = this.tally;
      this.log.info({ step: 'summary', ms, ...outcomes, published: rows }, summaryText(this.tally, ms));
    }
    if (!signal.aborted && this.settings.AT_END === 'exit') this.leave();
  }

  private stage(): Stage {
    const { PARTICIPANTS, SEED, SPEED, STATE_FILE, FROM, UNTIL } = this.settings;
    const publisher = new Publisher(this.door, this.log, this.tally);
    const clock = this.clock();
    const { book, details, seed } = this.scenario;
    const today = SPEED === Infinity ? marketToday(new Date()) : undefined;
    return {
      market: new Market({ publisher, book, details, seed: SEED ?? seed, clock }),
      publisher,
      clock,
      participants: PARTICIPANTS,
      progress: new ProgressFile(STATE_FILE),
      log: this.log,
      speed: SPEED,
      from: FROM,
      until: UNTIL ?? today,
    };
  }

  private clock(): Clock {
    const { SPEED, STEP, FROM } = this.settings;
    const start = FROM && toInstant(FROM);
    if (STEP) return steppedClock((this.steps = new Steps(this.stepInput())), start);
    return start === undefined ? realClock(SPEED) : ownClock(start, SPEED);
  }
}
