import type { AlertmanagerSinkConfig } from '@ssb/config';
import type { DeliveryOutcome } from '@ssb/net';
import { describeMessage } from '../content/describe-message.js';
import type { AlertSink, SinkMessage } from './alert-sink.js';
import { JsonPoster } from './json-poster.js';
import { CREDENTIAL } from './sink-files.js';
import { tlsFiles, type SinkKind } from './sink-kind.js';

/** Alertmanager forgets an alert that is not posted again within this time. */
const LIFETIME_MS = 5 * 60_000;

const SEVERITIES = ['info', 'warning', 'critical'] as const;

/**
 * Posts each problem as an alert of Alertmanager (API v2), from its opening to its end. While the problem is open, the alert is posted again. An event
 * without a problem is not posted, because nothing would end its alert.
 */
export class AlertmanagerSink implements AlertSink {
  constructor(
    readonly name: string,
    private readonly poster: JsonPoster,
    private readonly consoleUrl?: string,
  ) {}

  deliver(message: SinkMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const alerts = toAlerts(message, new Date(), this.consoleUrl);
    if (alerts.length === 0)
      return Promise.resolve({ kind: 'delivered', response: 'not sent: the event belongs to no problem' });
    return this.poster.post(alerts, signal);
  }

  repeat(open: readonly SinkMessage[], signal: AbortSignal): Promise<DeliveryOutcome> {
    const now = new Date();
    return this.poster.post(
      open.flatMap((message) => toAlerts(message, now, this.consoleUrl)),
      signal,
    );
  }

  close(): Promise<void> {
    return this.poster.close();
  }
}

/**
 * The alert of a problem. Alertmanager tells alerts apart by their labels, so a change of the severity ends the alert of the other severities.
 */
export function toAlerts(message: SinkMessage, now: Date, consoleUrl?: string): object[] {
  const { problemId, problemState, severity, participant, subject, type, eventId } = message;
  if (problemId === null) return [];
  const { title, explanation, action, link, figures } = describeMessage(message, consoleUrl);
  const isOver = problemState === 'resolved' || problemState === 'closed';
  return SEVERITIES.map((each) => ({
    labels: {
      alertname: 'SettlementProblem',
      problem: problemId,
      participant,
      subject,
      severity: each,
    },
    annotations: {
      summary: title,
      description: `${explanation} ${action}`,
      figures: figures.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      event: eventId,
      type,
    },
    startsAt: now.toISOString(),
    endsAt: new Date(now.getTime() + (isOver || each !== severity ? 0 : LIFETIME_MS)).toISOString(),
    ...(link !== undefined && { generatorURL: link }),
  }));
}

export const ALERTMANAGER_KIND: SinkKind<AlertmanagerSinkConfig> = {
  files: ({ bearerTokenFile, ...config }, pathOf) => ({
    texts: bearerTokenFile === undefined ? [] : [{ path: pathOf(bearerTokenFile), form: CREDENTIAL }],
    tls: tlsFiles(config, pathOf),
  }),
  open: ({ name, url, bearerTokenFile }, context) => {
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
    return new AlertmanagerSink(name, poster, consoleUrl);
  },
};
