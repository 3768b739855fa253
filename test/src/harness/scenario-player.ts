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

/** A scenario of the simulator, and who takes part in it. */
export interface PlayedScenario {
  readonly name: string;
  readonly participants: readonly string[];
  /** Settings of the poller for each of its participants. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Whether its steps last as long as written. Otherwise the next step begins after two polls. */
  readonly isTimed: boolean;
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
   * @returns the outcomes of each scenario for each of its participants
   */
  async play(group: string, scenarios: readonly PlayedScenario[]): Promise<Map<string, Outcome[]>> {
    const market = await this.startMarket(group);
    const plays = await Promise.all(scenarios.map((scenario) => this.startScenario(scenario, group, market)));
    // The poller starts at the first hold: until then a scenario publishes what was there before.
    await Promise.all(plays.map((play) => play.playUntilHold()));
    const participants = scenarios.flatMap(({ participants: codes, settings }) =>
      codes.map(async (code) => ({ ...(await this.services.createParticipant(code)), settings })),
    );
    const poller = await startMarketPoller(this.services, {
      name: `poller-${group}`,
      market,
      participants: await Promise.all(participants),
      redisUrl: this.redisUrl,
      integrityKeysFile: this.integrityKeysFile,
      settings: { ...SCHEDULE, SETTLEMENT_FETCHES_PER_POLL: '1000', TIMELINE_LOOKBACK_DAYS: '120' },
    });
    const polls = new Polls(poller.metricsUrl);
    const outcomes = await Promise.all(plays.map((play) => play.playToEnd(polls)));
    await poller.process.stop();
    return new Map(scenarios.map(({ name }, index) => [name, outcomes[index] ?? []]));
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
      PARTICIPANTS: scenario.participants.join(','),
      OPERATOR_URL: operatorUrl,
      TOKEN_URL: this.services.tokenUrl,
      TOKEN_CLIENT_ID: this.operator.clientId,
      TOKEN_CLIENT_SECRET: this.operator.clientSecret,
      CA_FILE: this.services.pathOf('ca.pem'),
      STATE_FILE: this.services.pathOf(`${simulator}.json`),
    });
    const recorders = scenario.participants.map(
      (participant) => new StepRecorder(this.events, this.linesOf(`poller-${group}`), participant),
    );
    return new ScenarioPlay(scenario, simulation, this.linesOf(simulator), recorders);
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
    private readonly recorders: readonly StepRecorder[],
  ) {}

  /** Plays the steps before the first hold. */
  async playUntilHold(): Promise<void> {
    while ((await this.waitForHold()) === 0) await this.endStep();
  }

  async playToEnd(polls: Polls): Promise<Outcome[]> {
    const { participants, isTimed } = this.scenario;
    for (let ms = await this.waitForHold(); ms !== undefined; ms = await this.waitForHold()) {
      await setTimeout(isTimed ? ms : 0);
      await polls.waitForNext(participants);
      await this.endStep();
    }
    // Further polls must announce nothing else.
    await polls.waitForNext(participants);
    await this.recordStep();
    await this.simulation.stop();
    return this.recorders.map(({ participant, steps }) => ({
      steps,
      ...readExpectations(this.lines, participant),
    }));
  }

  /** Waits until the simulator waits for the next line. @returns the hold of the step, milliseconds; undefined at the end of the scenario */
  private async waitForHold(): Promise<number | undefined> {
    const { step, ms } = await waitFor(
      `step ${this.holds + 1} of ${this.scenario.name}`,
      () => this.lines.filter((line) => line.step === 'wait' || line.step === 'summary')[this.holds],
    );
    return step === 'summary' ? undefined : Number(ms);
  }

  private async endStep(): Promise<void> {
    await this.recordStep();
    this.holds += 1;
    this.simulation.writeLine('');
  }

  private async recordStep(): Promise<void> {
    await Promise.all(this.recorders.map((recorder) => recorder.endStep()));
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

  /** Waits for two whole polls of each interface of these participants. */
  async waitForNext(participants: readonly string[]): Promise<void> {
    const before = countPolls(await this.readMetrics(), participants);
    // Two polls take longer, and each reading of the metrics costs processor time.
    await setTimeout(2 * POLL_INTERVAL_MS);
    await waitFor(
      `two polls of each interface for ${participants.join(' and ')}`,
      async () => {
        const counts = countPolls(await this.readMetricsTogether(), participants);
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

/** The number of started polls of each interface of these participants. */
function countPolls(metrics: string, participants: readonly string[]): number[] {
  return [...metrics.matchAll(/^settlement_bridge_poller_polls_total\{(.*)\} (\d+)$/gm)]
    .filter(([, labels = '']) => participants.some((code) => labels.includes(`participant="${code}"`)))
    .map(([, , count]) => Number(count));
}
