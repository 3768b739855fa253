import {
  type ConfigSource,
  findParticipantProblem,
  findRoute,
  isIgnored,
  type OperatorConfig,
  type Route,
} from '@ssb/config';
import type { GatewayClient, SendMessage } from '@ssb/bus';
import {
  ALL_PARTICIPANTS,
  isBridgeAlert,
  signEvent,
  validateEvent,
  type DetectedEvent,
  type SchemaVerdict,
  type SignedEvent,
} from '@ssb/events';
import { NotCanonicalError, type Did, type PrivateKey } from '@ssb/identity';
import type { KeySource } from '@ssb/keys';
import type { FaultReporter, OperationsWebhook } from '@ssb/faults';
import { type Logger, eventAttributes, startSpan, type TraceSpan } from '@ssb/platform';
import type {
  DeadLetterCause,
  FailedEvent,
  PublishAttempt,
  Publisher,
  PublishResult,
  RefusedJob,
} from '@ssb/redis-queue';
import { withTimeout } from '@ssb/net';
import { deadLetterFault, refusedJobFault } from './domain/dead-letter-fault.js';
import {
  causeOf,
  decideOutcome,
  describeFailure,
  isChannelMissing,
  toSendFailure,
} from './domain/retry-policy.js';
import { transactionId } from './domain/transaction-id.js';
import { isHeartbeat, publishHeartbeat, type SendResult } from './heartbeat-publisher.js';
import type { OriginKeys } from './keys.js';
import type { PublisherMetrics } from './publisher-metrics.js';

export interface PublishDependencies {
  readonly config: ConfigSource;
  readonly originKeys: Pick<OriginKeys, 'activeAt'>;
  readonly transactionIdKeys: Pick<KeySource, 'current'>;
  /** Repeating a `transactionId` publishes no second message. */
  readonly gateway: Pick<GatewayClient, 'sendMessage'>;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear' | 'flush'>;
  readonly now: () => Date;
  /** Receives the operational alerts that cannot be published. */
  readonly operationsWebhook: Pick<OperationsWebhook, 'post'>;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
}

/** Maximum wait until the alert of a dead letter is stored. */
const ALERT_TIMEOUT_MS = 5_000;

/** An alert that was not published in this many attempts is posted as well, and again after a restart; its id stays the same. */
const ATTEMPTS_BEFORE_WEBHOOK = 3;

/** Publishes one event: finds its route, signs it, validates it against its schema and sends it to the gateway. */
export class EventPublisher implements Publisher {
  /** Identity of the key that signed last. */
  private origin: Did | undefined;

  constructor(private readonly dependencies: PublishDependencies) {}

  async publish({ event, attempt }: PublishAttempt): Promise<PublishResult> {
    const span = startSpan('event publish', {
      kind: 'client',
      parent: event.traceparent,
      attributes: { ...eventAttributes(event), attempt },
    });
    const result: SendResult = await this.tryPublish(event, span).catch(retryUnexpected);
    const isDropped = result.outcome === 'dropped' && !result.isRefused;
    if (result.outcome === 'published' || isDropped) span.succeed(result.outcome);
    else span.fail(result.outcome);
    this.dependencies.metrics.countAttempt(event.type, result.outcome);
    if (result.outcome === 'published') return result;
    this.logFailure(event, attempt, result);
    if (isBridgeAlert(event.type)) this.postAlert(event, attempt, result);
    else if (result.outcome === 'dead-letter')
      await this.reportDeadLetters([{ event, reason: result.reason }]);
    return result;
  }

  /**
   * The alerts of dead letters are stored first, so that a crash cannot separate them. An alert about an alert would repeat without end,
   * so it goes to OPERATIONS_WEBHOOK_URL instead.
   */
  async reportDeadLetters(letters: readonly FailedEvent[]): Promise<void> {
    const { faults, operationsWebhook } = this.dependencies;
    const config = this.dependencies.config.current();
    const facts = letters.filter(({ event }) => !isBridgeAlert(event.type));
    for (const { event } of letters) if (isBridgeAlert(event.type)) operationsWebhook.post(event);
    for (const { event, reason } of facts)
      faults.raise(deadLetterFault(config, event, findRoute(config, event.type)?.channel, reason));
    if (facts.length > 0) await this.storeAlerts();
  }

  /** Its own log line is that of the fault. */
  async reportRefused(jobs: readonly RefusedJob[]): Promise<void> {
    const { faults, metrics } = this.dependencies;
    for (const job of jobs) {
      metrics.refusedJobs.inc({ reason: job.refusal });
      faults.raise(refusedJobFault(job));
    }
    await this.storeAlerts();
  }

  private async storeAlerts(): Promise<void> {
    const { faults, log } = this.dependencies;
    try {
      await withTimeout(faults.flush(), ALERT_TIMEOUT_MS);
    } catch (err) {
      log.warn({ err }, 'operational alert delayed');
    }
  }

  /** An alert that cannot be published is posted to OPERATIONS_WEBHOOK_URL, again after a restart; its id stays the same. */
  private postAlert(event: DetectedEvent, attempt: number, { outcome }: PublishResult): void {
    if (outcome !== 'retry' || attempt >= ATTEMPTS_BEFORE_WEBHOOK)
      this.dependencies.operationsWebhook.post(event);
  }

  private async tryPublish(event: DetectedEvent, span: TraceSpan): Promise<SendResult> {
    const { faults, now } = this.dependencies;
    const config = this.dependencies.config.current();
    const problem = findParticipantProblem(config, event);
    const publishOn = async (route: Route): Promise<SendResult> =>
      problem === undefined ? this.publishOn(route, event, span) : notConfigured(event, problem, now());
    if (isHeartbeat(event)) return publishHeartbeat(event, { config, faults, now: now() }, publishOn);
    if (problem !== undefined) return notConfigured(event, problem, now());
    const route = findRoute(config, event.type);
    return route === undefined ? withoutRoute(event, config) : publishOn(route);
  }

  private async publishOn(route: Route, event: DetectedEvent, span: TraceSpan): Promise<SendResult> {
    const { transactionIdKeys } = this.dependencies;
    span.add({ channel: route.channel, topic: route.topic });
    const signed = trySign(event, route, this.activeKey());
    if (signed === undefined)
      return deadLetter('the event cannot be signed: it contains text that is not valid UTF-8');
    const verdict = validateEvent(signed);
    if (!verdict.ok) return deadLetter(`the event does not match its schema: ${describeProblems(verdict)}`);
    const message = {
      fqcn: route.channel,
      topic: route.topic,
      payload: JSON.stringify(signed),
      transactionId: transactionId(event, transactionIdKeys.current()),
    };
    return this.send(event, message, span);
  }

  /** The key that signs now. Its identity is reported when it changes, because subscribers must trust it. */
  private activeKey(): PrivateKey {
    const { originKeys, metrics, log } = this.dependencies;
    const { key, did } = originKeys.activeAt(new Date());
    if (did !== this.origin) {
      log.info({ did, previous: this.origin }, 'origin key active');
      metrics.origin.reset();
      metrics.origin.set({ did }, 1);
      this.origin = did;
    }
    return key;
  }

  private async send(
    event: DetectedEvent,
    message: SendMessage,
    { headers }: TraceSpan,
  ): Promise<SendResult> {
    try {
      const { id } = await this.dependencies.gateway.sendMessage(message, headers);
      this.recordPublished(event, message, id);
      return { outcome: 'published' };
    } catch (error) {
      const failure = toSendFailure(error);
      if (failure === undefined) throw error;
      const outcome = decideOutcome(failure);
      if (outcome !== 'published')
        return {
          outcome,
          reason: describeFailure(failure, message.fqcn),
          channelMissing: isChannelMissing(failure),
          ...(outcome === 'dead-letter' && { cause: causeOf(failure) }),
        };
      // The broker has the message of an earlier attempt.
      this.recordPublished(event, message, undefined);
      return { outcome };
    }
  }

  /** @param messageId unknown when the broker only reports a duplicate of an earlier attempt */
  private recordPublished(
    event: DetectedEvent,
    { fqcn: channel, topic }: SendMessage,
    messageId: string | undefined,
  ): void {
    const { id: eventId, type: eventType, subject, detectedat } = event;
    const { metrics, log } = this.dependencies;
    const sinceDetectedMs = Date.now() - Date.parse(detectedat);
    const fields = { eventId, eventType, subject, channel, topic, messageId, sinceDetectedMs };
    if (isHeartbeat(event)) {
      log.debug(fields, 'heartbeat published');
      return;
    }
    metrics.detectedToPublished.observe(Math.max(0, sinceDetectedMs) / 1_000);
    log.info({ step: 'published', ...fields }, 'event published');
  }

  private logFailure(
    event: DetectedEvent,
    attempt: number,
    { outcome, reason }: Exclude<PublishResult, { outcome: 'published' }>,
  ): void {
    const { id: eventId, type: eventType, subject } = event;
    const fields = { eventId, eventType, subject, attempt, outcome, reason };
    if (isHeartbeat(event)) this.dependencies.log.debug(fields, 'heartbeat publication failed');
    else if (outcome === 'dropped' && isBridgeAlert(event.type))
      this.dependencies.log.warn(fields, 'operational alert not published');
    else if (outcome === 'dropped') this.dependencies.log.info(fields, 'event ignored');
    else if (outcome === 'dead-letter') this.dependencies.log.error(fields, 'event publication refused');
    // Attempts 1, 2, 4, 8 …: an outage of a day makes about twelve lines for each event.
    else if (Number.isInteger(Math.log2(attempt)))
      this.dependencies.log.warn(fields, 'event publication failed');
  }
}

/** An operational alert is no dead letter, so that a configuration without a route for it collects none. */
function withoutRoute(event: DetectedEvent, config: OperatorConfig): PublishResult {
  const reason = `CONFIG_FILE has no route for ${event.type}`;
  if (isBridgeAlert(event.type)) return { outcome: 'dropped', reason };
  return isIgnored(config, event.type)
    ? { outcome: 'dropped', reason: `${reason} and ignores it` }
    : deadLetter(reason, 'configuration');
}

/**
 * How long a participant may be unknown here after the poller has read it in CONFIG_FILE: the largest CONFIG_RELOAD_INTERVAL_MS, and the
 * time that a cluster needs to bring a changed file to all pods.
 */
const MAX_CONFIG_LAG_MS = 5 * 60_000;

/** The poller may have read a changed CONFIG_FILE earlier. */
function notConfigured({ participant, detectedat }: DetectedEvent, reason: string, now: Date): PublishResult {
  const isCode = typeof participant === 'string' && participant !== ALL_PARTICIPANTS;
  const isNew = now.getTime() - Date.parse(detectedat) < MAX_CONFIG_LAG_MS;
  return isCode && isNew ? { outcome: 'retry', reason } : deadLetter(reason, 'configuration');
}

function deadLetter(reason: string, cause?: DeadLetterCause): PublishResult {
  return { outcome: 'dead-letter', reason, ...(cause !== undefined && { cause }) };
}

/** An unexpected error must not lose the event. The reason has only the error's name, because a message may quote the event. */
function retryUnexpected(error: unknown): PublishResult {
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: 'retry', reason: `the attempt failed with an unexpected ${name}` };
}

/** The signed event; undefined when a text has an unpaired surrogate, which RFC 8785 cannot represent. */
function trySign(event: DetectedEvent, { channel, topic }: Route, key: PrivateKey): SignedEvent | undefined {
  try {
    return signEvent(event, { channel, topic, signedAt: new Date(), key });
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}

const MAX_PROBLEMS = 10;

function describeProblems(verdict: Exclude<SchemaVerdict, { ok: true }>): string {
  return verdict.reason === 'schema' ? verdict.problems.slice(0, MAX_PROBLEMS).join('; ') : verdict.reason;
}
