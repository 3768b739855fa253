import type { PagerDutySinkConfig } from '@ssb/config';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { DeliveryOutcome } from '@ssb/net';
import { describeMessage } from '../content/describe-message.js';
import type { AlertSink, SinkMessage } from './alert-sink.js';
import { JsonPoster } from './json-poster.js';
import { CREDENTIAL } from './sink-files.js';
import { tlsFiles, type SinkKind } from './sink-kind.js';

export interface PagerDutySinkOptions {
  /** Read for each attempt, because its file can change. */
  readonly routingKey: () => string;
  readonly consoleUrl?: string | undefined;
}

/** Opens, acknowledges and resolves an incident of PagerDuty for each problem (Events API v2). A notice opens none. */
export class PagerDutySink implements AlertSink {
  constructor(
    readonly name: string,
    private readonly poster: JsonPoster,
    private readonly options: PagerDutySinkOptions,
  ) {}

  deliver(message: SinkMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const action = actionOf(message);
    if (action === undefined)
      return Promise.resolve({ kind: 'delivered', response: 'not sent: a notice opens no incident' });
    const { routingKey, consoleUrl } = this.options;
    return this.poster.post(renderPagerDuty(message, action, routingKey(), consoleUrl), signal);
  }

  close(): Promise<void> {
    return this.poster.close();
  }
}

type Action = 'trigger' | 'acknowledge' | 'resolve';

/** A further alert of a problem updates its incident. */
export function actionOf({ kind, problemState }: SinkMessage): Action | undefined {
  if (kind === 'resolved' || problemState === 'closed') return 'resolve';
  if (kind === 'alert' || kind === 'reminder' || kind === 'escalation' || kind === 'test') return 'trigger';
  return problemState === 'acknowledged' ? 'acknowledge' : undefined;
}

const CLIENT = 'settlement-bus-bridge';

export function renderPagerDuty(
  message: SinkMessage,
  action: Action,
  routingKey: string,
  consoleUrl?: string,
): object {
  const {
    title,
    explanation,
    figures,
    action: whatToDo,
    dueBy,
    remarks,
    link,
  } = describeMessage(message, consoleUrl);
  const { problemId, eventId, participant, subject, type, severity } = message;
  return {
    routing_key: routingKey,
    event_action: action,
    // All messages of one problem have it.
    dedup_key: problemId ?? eventId,
    client: CLIENT,
    ...(consoleUrl !== undefined && { client_url: consoleUrl }),
    payload: {
      summary: title,
      source: participant === ALL_PARTICIPANTS ? CLIENT : participant,
      severity,
      component: subject,
      class: type,
      custom_details: {
        ...Object.fromEntries(figures.map(({ label, value }) => [label, value])),
        explanation,
        'what to do': whatToDo,
        ...(dueBy !== undefined && { by: dueBy }),
        ...(remarks.length > 0 && { note: remarks.join(' ') }),
        event: eventId,
      },
    },
    ...(link !== undefined && { links: [{ href: link, text: 'Open in the console' }] }),
  };
}

export const PAGERDUTY_KIND: SinkKind<PagerDutySinkConfig> = {
  files: (config, pathOf) => ({
    texts: [{ path: pathOf(config.routingKeyFile), form: CREDENTIAL }],
    tls: tlsFiles(config, pathOf),
  }),
  open: ({ name, url, routingKeyFile }, context) => {
    const { files, pathOf, consoleUrl } = context;
    const routingKey = () => files.text(pathOf(routingKeyFile));
    const poster = new JsonPoster({ url: () => url, context, secrets: () => [routingKey()] });
    return new PagerDutySink(name, poster, { routingKey, consoleUrl });
  },
};
