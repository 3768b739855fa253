import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { toMarketDate, toInstant, TokenSource } from '@ssb/market';
import { OperatorClient } from '@ssb/market/admin';
import {
  ensureDataFolderOf,
  LOGGER,
  type Logger,
  readCaFile,
  SETTINGS,
  writeFileAtomically,
} from '@ssb/platform';
import { type Clock, NoMoreStepsError, realClock, simulatedClock, steppedClock } from './clock.js';
import { Publications } from '../domain/documents/publications.js';
import { calendarSteps } from '../domain/scenario/calendar-steps.js';
import { buildExpectations, type Expectations, listSubjects } from '../domain/scenario/expected-events.js';
import { liveSteps } from '../domain/scenario/live-steps.js';
import { parseProgress } from '../domain/scenario/progress.js';
import type { Scenario } from '../domain/scenario/scenario.js';
import { scenarioSteps } from '../domain/scenario/scenario-steps.js';
import {
  batchSteps,
  type SimulationContext,
  type SimulationStep,
  StampGenerator,
} from '../domain/scenario/simulation-step.js';
import { Publisher, Summary } from './publisher.js';
import type { Settings } from '../settings.js';

export const SCENARIO = Symbol('SCENARIO');
/** Returns the input of the stepped clock: standard input, except in tests. */
export const STEP_INPUT = Symbol('STEP_INPUT');
/** Starts a graceful shutdown of the process, except in tests. */
export const EXIT = Symbol('EXIT');

/** Runs the scenario from the start of the app until its end or the shutdown, then logs a summary. An error ends the process. */
@Injectable()
export class SimulationRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly shutdown = new AbortController();
  private readonly summary = new Summary();
  private readonly tokens: TokenSource;
  private readonly client: OperatorClient;
  private running: Promise<void> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SCENARIO) private readonly scenario: Scenario,
    @Inject(STEP_INPUT) private readonly stepInput: () => NodeJS.ReadableStream,
    @Inject(EXIT) private readonly exit: () => void,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    const { TOKEN_URL, TOKEN_CLIENT_ID, TOKEN_CLIENT_SECRET, OPERATOR_URL, CA_FILE } = settings;
    const ca = CA_FILE === undefined ? undefined : readCaFile(CA_FILE);
    this.tokens = new TokenSource({
      authUrl: TOKEN_URL,
      clientId: TOKEN_CLIENT_ID,
      clientSecret: TOKEN_CLIENT_SECRET,
      scope: 'MARKETRECORDS MARKETFAULTS',
      ca,
    });
    this.client = new OperatorClient({ baseUrl: OPERATOR_URL, tokenSource: this.tokens, ca });
  }

  /** Resolves when the backlog of an endless scenario is loaded, so that the app listens only then. */
  async onApplicationBootstrap(): Promise<void> {
    await new Promise<void>((ready) => {
      this.running = this.runAndSummarise(ready).finally(ready);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.running;
    await this.client.close();
    await this.tokens.close();
  }

  private async runAndSummarise(ready: () => void): Promise<void> {
    const startedMs = performance.now();
    const { signal } = this.shutdown;
    try {
      await this.run(signal, ready);
    } catch (error) {
      if (error instanceof NoMoreStepsError)
        this.log.info({ step: 'finished', reason: error.message }, 'simulation finished');
      else if (!signal.aborted) throw error;
    } finally {
      this.logSummary(Math.round(performance.now() - startedMs));
    }
    if (!signal.aborted && this.settings.AT_END === 'exit') this.exit();
  }

  private async run(signal: AbortSignal, ready: () => void): Promise<void> {
    if (this.scenario.kind === 'once' || this.settings.FROM !== undefined) ready();
    const clock = this.createClock(signal);
    const publisher = new Publisher(this.client, this.log, this.summary);
    for (const step of await this.createSteps(clock)) {
      switch (step.type) {
        case 'publish':
          if (step.at !== undefined) {
            const dueInMs = toInstant(step.at).getTime() - clock.now().getTime();
            await clock.wait(Math.max(0, dueInMs), signal);
          }
          await publisher.publish(step.publication, signal);
          break;
        case 'inject-fault':
          await publisher.injectFault(step.fault, signal);
          break;
        case 'wait':
          this.log.debug({ step: 'wait', ms: step.ms }, 'simulation waits');
          await clock.wait(step.ms, signal);
          break;
        case 'save':
          await writeFileAtomically(this.settings.STATE_FILE, `${JSON.stringify(step.progress)}\n`);
          break;
        case 'ready':
          ready();
      }
    }
    this.log.info({ step: 'finished' }, 'simulation finished');
  }

  private async createSteps(clock: Clock): Promise<Iterable<SimulationStep>> {
    const { scenario, log } = this;
    const { PARTICIPANTS: participants, SPEED: speed, STATE_FILE, FROM: from } = this.settings;
    const seed = this.settings.SEED ?? scenario.seed;
    const publications = new Publications({ ...scenario, seed });
    const now = (): Date => clock.now();
    const stamps = new StampGenerator(now);
    const context: SimulationContext = { seed, participants, publications, stamps, now, speed };
    const until = this.settings.UNTIL ?? (speed === Infinity ? toMarketDate(new Date()) : undefined);
    const { kind, about: what } = scenario;
    log.info({ step: 'started', what, kind, seed, participants, from, until }, 'simulation started');
    if (scenario.kind === 'once') {
      this.logExpectations(buildExpectations(scenario, participants, toMarketDate(now())));
      return scenarioSteps(scenario, context);
    }
    if (from === undefined) {
      ensureDataFolderOf(STATE_FILE, log);
      const saved = existsSync(STATE_FILE)
        ? parseProgress(await readFile(STATE_FILE, 'utf8'), STATE_FILE)
        : undefined;
      return liveSteps(scenario, context, saved);
    }
    const steps = calendarSteps(scenario, context, { from, until });
    return speed === Infinity ? batchSteps(steps) : steps;
  }

  /** One line with all subjects, then one line for each event, with its figures as JSON. */
  private logExpectations({ events, calculations }: Expectations): void {
    const { log } = this;
    log.info({ step: 'expected', expect: listSubjects(events) }, 'expected events');
    for (const { participant, type: eventType, subject, data, unordered } of events) {
      const detail = JSON.stringify(data);
      const mode = unordered ? 'unordered' : 'ordered';
      log.info({ step: 'expected-event', participant, eventType, subject, detail, mode }, 'expected event');
    }
    for (const [participant, count] of Object.entries(calculations))
      log.info({ step: 'expected-calculations', participant, count }, 'expected calculations');
  }

  private createClock(signal: AbortSignal): Clock {
    const { SPEED, STEP, FROM } = this.settings;
    const start = FROM && toInstant(FROM);
    if (STEP) return steppedClock(this.stepInput(), signal, start);
    return start === undefined ? realClock(SPEED) : simulatedClock(start, SPEED);
  }

  private logSummary(ms: number): void {
    const { outcomes, rows: published } = this.summary;
    this.log.info({ step: 'summary', ms, ...outcomes, published }, 'simulation summary');
  }
}
