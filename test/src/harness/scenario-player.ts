import { FixedKeys, parseKeyRing } from '@ssb/keys';
import { generateSecret } from '@ssb/platform';
import { connectRedis, EventWorker, openDeadLetters } from '@ssb/redis-queue';
import { startTestRedis, waitFor } from '@ssb/testing';
import { type AppProcess, type LogLine, ResourceStack } from '@ssb/tools';
import { setTimeout } from 'node:timers/promises';
import { startMarketPoller } from './market-poller.js';
import { type MarketAccount, MarketServices, type RunningMarket } from './market-services.js';
import type { ExpectedEvent, Outcome, QueuedEvent } from './scenario-outcome.js';

/** Every poll requests everything, so that one poll after a step detects what it published. */
const POLL_INTERVAL_MS = 300;
const SCHEDULE = Object.fromEntries(
  [
    'POLL_PRUDENTIAL',
    'POLL_SETTLEMENT',
    'TIMELINE',
    ...['EARLY', 'COMMENCED', 'DUE', 'OVERDUE', 'RECHECK', 'LATER_RECHECK', 'RETRY'].map(
      (step) => `SETTLEMENT_${step}`,
    ),
  ].map((name) => [`${name}_INTERVAL_MS`, String(POLL_INTERVAL_MS)]),
);
/** A scenario lasts 30 s at most. */
const PLAY_TIMEOUT_MS = 150_000;

/** A scenario of the simulator with one participant. */
export interface PlayedScenario {
  readonly name: string;
  readonly participant: string;
}

/**
 * Plays scenarios of the simulator against pollers, without a bus: the events are read from the queue. Scenarios that play together share a
 * market and a poller.
 */
export class ScenarioPlayer {
  private readonly linesByProcess = new Map<string, LogLine[]>();
  private readonly resources = new ResourceStack();
  private readonly events: QueuedEvent[] = [];
  private services!: MarketServices;
  private market: RunningMarket | undefined;
  private operator!: MarketAccount;
  private redisUrl = '';
  private integrityKeysFile = '';

  static async start(): Promise<ScenarioPlayer> {
    const player = new ScenarioPlayer();
    try {
      await player.startServices();
      return player;
    } catch (error) {
      await player.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.resources.release();
  }

  /**
   * Plays scenarios to their ends, until every event of them is read.
   * @param group names the processes that the scenarios share
   * @param scenarioSettings those of the bridge, in the form of the scenario
   * @returns the outcome of each scenario
   */
  async play(
    group: string,
    scenarios: readonly PlayedScenario[],
    scenarioSettings: Readonly<Record<string, unknown>> = {},
  ): Promise<Map<string, Outcome>> {
    const market = await this.startMarket(group);
    const plays = await Promise.all(scenarios.map((scenario) => this.startScenario(scenario, group, market)));
    // The poller starts at the first hold: until then a scenario publishes what was there before.
    await Promise.all(plays.map((play) => play.playUntilHold()));
    const participants = scenarios.map(({ participant }) => this.services.createParticipant(participant));
    const poller = await startMarketPoller(this.services, {
      name: `poller-${group}`,
      market,
      participants: await Promise.all(participants),
      redisUrl: this.redisUrl,
      integrityKeysFile: this.integrityKeysFile,
      scenarioSettings,
      settings: { ...SCHEDULE, SETTLEMENT_FETCHES_PER_POLL: '1000', TIMELINE_LOOKBACK_DAYS: '120' },
    });
    const polls = new Polls(poller.metricsUrl);
    const outcomes = plays.map(async (play) => [play.name, await play.playToEnd(polls)] as const);
    const played = new Map(await Promise.all(outcomes));
    await poller.process.stop();
    return played;
  }

  private async startServices(): Promise<void> {
    const redis = await startTestRedis();
    await this.resources.defer(() => redis.stop());
    this.redisUrl = redis.url;
    this.services = await MarketServices.start({
      onLog: (name, line) => void this.linesOf(name).push(line),
    });
    await this.resources.defer(() => this.services.stop());
    this.market = this.services.market;
    this.operator = await this.services.createOperatorAccount();
    const secret = generateSecret();
    this.integrityKeysFile = this.services.writeFile('integrity.keys', secret);
    await this.readQueue(new FixedKeys(parseKeyRing(secret)));
  }

  /** Takes the events of all pollers from their queue. */
  private async readQueue(keys: FixedKeys): Promise<void> {
    const redis = connectRedis(this.redisUrl, { name: 'scenarios', blocking: true });
    const deadLetters = openDeadLetters({ redis, keys });
    const worker = new EventWorker(
      { redis, keys, concurrency: 1, deadLetters, onError: () => undefined },
      {
        publish: async ({ event }) => {
          this.events.push(event);
          return { outcome: 'published' };
        },
      },
      { reportRefused: ([job]) => Promise.reject(new Error(`job ${job?.jobId} was refused`)) },
    );
    await this.resources.defer(async () => {
      await worker.close();
      await deadLetters.close();
      redis.disconnect();
    });
  }

  /** The first group has the market that is there. */
  private async startMarket(group: string): Promise<RunningMarket> {
    const { market } = this;
    this.market = undefined;
    return market ?? this.services.startMarket(`reporting-${group}`);
  }

  private async startScenario(
    scenario: PlayedScenario,
    group: string,
    { operatorUrl }: RunningMarket,
  ): Promise<ScenarioPlay> {
    const simulator = `simulator-${scenario.name}`;
    const simulation = await this.services.startProcess('simulator', simulator, {
      PORT: '0',
      SCENARIO: scenario.name,
      STEP: 'true',
      LOG_LEVEL: 'debug',
      PARTICIPANTS: scenario.participant,
      OPERATOR_URL: operatorUrl,
      TOKEN_URL: this.services.tokenUrl,
      TOKEN_CLIENT_ID: this.operator.clientId,
      TOKEN_CLIENT_SECRET: this.operator.clientSecret,
      CA_FILE: this.services.pathOf('ca.pem'),
      STATE_FILE: this.services.pathOf(`${simulator}.json`),
    });
    const pollerLines = this.linesOf(`poller-${group}`);
    const recorder = new StepRecorder(this.events, pollerLines, scenario.participant);
    return new ScenarioPlay(scenario, simulation, this.linesOf(simulator), recorder);
  }

  /** The lines of a process, to which later ones are added. */
  private linesOf(name: string): LogLine[] {
    const lines = this.linesByProcess.get(name) ?? [];
    this.linesByProcess.set(name, lines);
    return lines;
  }
}

/** One scenario that is being played. */
class ScenarioPlay {
  private holds = 0;

  constructor(
    private readonly scenario: PlayedScenario,
    private readonly simulation: AppProcess,
    private readonly lines: readonly LogLine[],
    private readonly recorder: StepRecorder,
  ) {}

  get name(): string {
    return this.scenario.name;
  }

  /** Plays the steps before the first hold. */
  async playUntilHold(): Promise<void> {
    while ((await this.waitForHold()) === 'none') await this.endStep();
  }

  /** The next step begins after two polls, whatever the hold of the step is. */
  async playToEnd(polls: Polls): Promise<Outcome> {
    const { participant } = this.scenario;
    while ((await this.waitForHold()) !== 'end') {
      await polls.waitForNext(participant);
      await this.endStep();
    }
    // Further polls must announce nothing else.
    await polls.waitForNext(participant);
    await this.recorder.endStep();
    await this.simulation.stop();
    return { steps: this.recorder.steps, ...readExpectations(this.lines, participant) };
  }

  /** Waits until the simulator waits for the next line. @returns whether the step has a hold, or `end` after the last one */
  private async waitForHold(): Promise<'hold' | 'none' | 'end'> {
    const { step, ms } = await waitFor(
      `step ${this.holds + 1} of ${this.scenario.name}`,
      () => this.lines.filter((line) => line.step === 'wait' || line.step === 'summary')[this.holds],
    );
    if (step === 'summary') return 'end';
    return Number(ms) === 0 ? 'none' : 'hold';
  }

  private async endStep(): Promise<void> {
    await this.recorder.endStep();
    this.holds += 1;
    this.simulation.writeLine('');
  }
}

/** What must come for a participant, as the simulator logs it. */
function readExpectations(lines: readonly LogLine[], participant: string): Omit<Outcome, 'steps'> {
  const own = lines.filter((line) => line['participant'] === participant);
  return {
    expected: own.flatMap((line) => (line.step === 'expected-event' ? [toExpectedEvent(line)] : [])),
    calculations: Number(own.find(({ step }) => step === 'expected-calculations')?.['count']),
  };
}

function toExpectedEvent(line: LogLine): ExpectedEvent {
  return {
    type: String(line['eventType']),
    subject: String(line['subject']),
    data: JSON.parse(String(line['detail'])) as ExpectedEvent['data'],
    isUnordered: line['mode'] === 'unordered',
  };
}

/** Divides the events of a participant by the steps of a scenario. */
class StepRecorder {
  readonly steps: (readonly QueuedEvent[])[] = [];
  private recorded = 0;

  constructor(
    private readonly events: readonly QueuedEvent[],
    private readonly pollerLines: readonly LogLine[],
    readonly participant: string,
  ) {}

  /** Waits until everything that the poller has queued is read. */
  async endStep(): Promise<void> {
    const { events, participant } = this;
    const queued = this.pollerLines.flatMap((line) =>
      line.step === 'queued' && line['participant'] === participant ? [line.eventId] : [],
    );
    await waitFor(
      `every event of ${participant}`,
      () => {
        const ids = new Set<unknown>(events.map(({ id }) => id));
        return queued.every((id) => ids.has(id));
      },
      PLAY_TIMEOUT_MS,
    );
    const own = events.filter(
      (event) => event.participant === participant && !event.type.startsWith('settlementbus.bridge.'),
    );
    this.steps.push(own.slice(this.recorded));
    this.recorded = own.length;
  }
}

/** The polls of a poller, as its metrics count them. */
class Polls {
  private reading: Promise<string> | undefined;

  constructor(private readonly metricsUrl: string) {}

  /** Waits for two whole polls of each interface of this participant. */
  async waitForNext(participant: string): Promise<void> {
    const before = countPolls(await this.readMetrics(), participant);
    // Two polls take longer, and each reading of the metrics costs processor time.
    await setTimeout(2 * POLL_INTERVAL_MS);
    await waitFor(
      `two polls of each interface for ${participant}`,
      async () => {
        const counts = countPolls(await this.readMetricsTogether(), participant);
        // A poll begins when the previous one has ended.
        return counts.every((count, index) => count >= (before[index] ?? 0) + 3);
      },
      PLAY_TIMEOUT_MS,
    );
  }

  /** Scenarios that wait at the same time share a reading. */
  private readMetricsTogether(): Promise<string> {
    this.reading ??= this.readMetrics().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readMetrics(): Promise<string> {
    return (await fetch(this.metricsUrl)).text();
  }
}

/** The number of started polls of each interface of this participant. */
function countPolls(metrics: string, participant: string): number[] {
  return [...metrics.matchAll(/^settlement_bridge_poller_polls_total\{(.*)\} (\d+)$/gm)]
    .filter(([, labels = '']) => labels.includes(`participant="${participant}"`))
    .map(([, , count]) => Number(count));
}
