import type { AlertmanagerSinkConfig } from '@ssb/config';
import { isEventType, problemKindOf, SEVERITIES, type Severity } from '@ssb/events';
import type { DeliveryOutcome } from '@ssb/net';
import { LRUCache } from 'lru-cache';
import { hasEnded } from '../../domain/delivery-kind.js';
import { describeMessage, type HumanMessage } from '../content/describe-message.js';
import { describeProblem } from '../content/describe-problem.js';
import type { AlertSink, SinkMessage } from './alert-sink.js';
import { JsonPoster } from './json-poster.js';
import { CREDENTIAL } from './sink-files.js';
import { tlsFiles, type SinkKind } from './sink-kind.js';

/** Alertmanager forgets an alert that is not posted again within this time. */
const LIFETIME_MS = 5 * 60_000;

/** The alert of a test ends by itself. */
const TEST_LIFETIME_MS = 60_000;

interface AlertmanagerSinkOptions {
  readonly consoleUrl?: string | undefined;
  /** Further labels of each alert. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Beyond this, an alert of a former severity ends by itself. */
const MAX_REMEMBERED = 10_000;

/**
 * Posts each problem as an alert of Alertmanager (API v2), from its opening to its end. While the problem is open, the alert is posted again. An event
 * without a problem is not posted, because nothing would end its alert.
 */
export class AlertmanagerSink implements AlertSink {
  /** The severity of the alert that Alertmanager has, by problem. */
  private readonly posted = new LRUCache<string, Severity>({ max: MAX_REMEMBERED });

  constructor(
    readonly name: string,
    private readonly poster: JsonPoster,
    private readonly options: AlertmanagerSinkOptions = {},
  ) {}

  deliver(message: SinkMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    if (message.kind === 'test')
      return this.poster.post([toTestAlert(message, new Date(), this.options)], signal);
    if (message.problemId === null)
      return Promise.resolve({ kind: 'delivered', response: 'not sent: the event belongs to no problem' });
    return this.repeat([message], signal);
  }

  async repeat(messages: readonly SinkMessage[], signal: AbortSignal): Promise<DeliveryOutcome> {
    const now = new Date();
    const alerts = messages.flatMap((message) =>
      toAlerts(message, now, this.posted.get(message.problemId ?? ''), this.options),
    );
    const outcome = await this.poster.post(alerts, signal);
    if (outcome.kind !== 'delivered') return outcome;
    for (const message of messages) {
      if (hasEnded(message.problemState)) this.posted.delete(message.problemId ?? '');
      else this.posted.set(message.problemId ?? '', message.severity);
    }
    return outcome;
  }

  close(): Promise<void> {
    return this.poster.close();
  }
}

/**
 * The alert of a problem. Alertmanager distinguishes alerts by their labels, so a change of the severity ends the former alert.
 * @param posted severity of the alert that Alertmanager has; undefined when it is not known, as after a restart
 */
function toAlerts(
  message: SinkMessage,
  now: Date,
  posted: Severity | undefined,
  { consoleUrl, labels }: AlertmanagerSinkOptions,
): object[] {
  const { problemId, severity, participant, subject, type } = message;
  // The same texts from each delivery and each repetition, or the next repetition would replace them.
  const texts = toAnnotations(describeProblem(message, consoleUrl), message);
  const over = hasEnded(message.problemState);
  const severities = over && posted === undefined ? SEVERITIES : new Set([posted ?? severity, severity]);
  return [...severities].map((each) => ({
    labels: {
      alertname: 'SettlementProblem',
      problem: problemId,
      kind: isEventType(type) ? problemKindOf(type) : undefined,
      participant,
      subject,
      severity: each,
      ...labels,
    },
    ...texts,
    ...lifetime(now, over || each !== severity ? 0 : LIFETIME_MS),
  }));
}

/** Its label `test` differs each time, so that Alertmanager notifies of each test. */
function toTestAlert(
  message: SinkMessage,
  now: Date,
  { consoleUrl, labels }: AlertmanagerSinkOptions,
): object {
  const { eventId, severity, subject } = message;
  return {
    labels: { alertname: 'SettlementTest', test: eventId, subject, severity, ...labels },
    ...toAnnotations(describeMessage(message, consoleUrl), message),
    ...lifetime(now, TEST_LIFETIME_MS),
  };
}

function toAnnotations(about: HumanMessage, { type }: SinkMessage): object {
  const { title, explanation, action, link, figures, remarks, eventId } = about;
  return {
    annotations: {
      summary: title,
      description: `${explanation} ${action}`,
      figures: figures.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      ...(remarks.length > 0 && { notes: remarks.join('\n') }),
      event: eventId,
      type,
    },
    ...(link !== undefined && { generatorURL: link }),
  };
}

const lifetime = (now: Date, milliseconds: number): object => ({
  startsAt: now.toISOString(),
  endsAt: new Date(now.getTime() + milliseconds).toISOString(),
});

export const ALERTMANAGER_KIND: SinkKind<AlertmanagerSinkConfig> = {
  files: ({ bearerTokenFile, ...config }, pathOf) => ({
    texts: bearerTokenFile === undefined ? [] : [{ path: pathOf(bearerTokenFile), form: CREDENTIAL }],
    tls: tlsFiles(config, pathOf),
  }),
  open: ({ name, url, bearerTokenFile, labels }, context) => {
    const { files, pathOf, consoleUrl } = context;
    const token = () => bearerTokenFile && files.text(pathOf(bearerTokenFile));
    const poster = new JsonPoster({
      url: () => `${url.replace(/\/$/, '')}/api/v2/alerts`,
      context,
      secrets: () => [token() ?? ''],
      headers: (): Record<string, string> => {
        const bearer = token();
        return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      },
    });
    return new AlertmanagerSink(name, poster, { consoleUrl, labels });
  },
};
