import { dirname, resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { OPERATIONS_SINK, tryParseDuration, type OperatorConfig, type SinkConfig } from '@ssb/config';
import type { ClientConnection } from '@ssb/net';
import {
  LOGGER,
  OutgoingConnections,
  SETTINGS,
  WEBHOOK_CONNECTION,
  type Logger,
  type WebhookTarget,
} from '@ssb/platform';
import type { Settings } from '../../settings.js';
import { ConfiguredSink } from './configured-sink.js';
import { ALERTMANAGER_KIND } from './alertmanager-sink.js';
import { SLACK_KIND } from './chat/slack-sink.js';
import { TEAMS_KIND } from './chat/teams-sink.js';
import { EMAIL_KIND } from './email/email-sink.js';
import { LOG_KIND } from './log-sink.js';
import { PAGERDUTY_KIND } from './pagerduty-sink.js';
import { SinkFiles, type SinkFilesOptions } from './sink-files.js';
import type { SinkKind } from './sink-kind.js';
import { WEBHOOK_KIND } from './webhook-sink.js';

export type SinkSettings = Pick<
  Settings,
  | (keyof Settings & (`ALERT_${string}` | `OPERATIONS_WEBHOOK_${string}`))
  | 'CONFIG_FILE'
  | 'TLS_RELOAD_INTERVAL_MS'
>;

/** The kinds of sinks. A new kind is one more entry. */
const KINDS: { readonly [Kind in SinkConfig['kind']]: SinkKind<Extract<SinkConfig, { kind: Kind }>> } = {
  log: LOG_KIND,
  webhook: WEBHOOK_KIND,
  email: EMAIL_KIND,
  slack: SLACK_KIND,
  teams: TEAMS_KIND,
  pagerduty: PAGERDUTY_KIND,
  alertmanager: ALERTMANAGER_KIND,
};

/** Opens the sinks of the operator's configuration, and that of OPERATIONS_WEBHOOK_URL. */
@Injectable()
export class SinkFactory {
  constructor(
    @Inject(SETTINGS) private readonly settings: SinkSettings,
    @Inject(WEBHOOK_CONNECTION) private readonly connection: ClientConnection,
    @Inject(OutgoingConnections) private readonly connections: SinkFilesOptions['connections'],
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  openAll({ alerts }: Pick<OperatorConfig, 'alerts'>): ConfiguredSink[] {
    const { OPERATIONS_WEBHOOK_URL: url, OPERATIONS_WEBHOOK_SECRET: secret } = this.settings;
    const operations: SinkConfig[] =
      url === undefined || secret === undefined
        ? []
        : [{ name: OPERATIONS_SINK, kind: 'webhook', url, secret }];
    return [...alerts.sinks, ...operations].map((sink) => this.open(sink, alerts.consoleUrl));
  }

  /** Files that cannot be used do not prevent it: the sink fails until they can. */
  open(config: SinkConfig, consoleUrl?: string): ConfiguredSink {
    const { settings, connection, connections, log } = this;
    // The table has the kind's own type; the key selects it.
    const kind: SinkKind<never> = KINDS[config.kind];
    const pathOf = (file: string): string => resolve(dirname(settings.CONFIG_FILE), file);
    const files = new SinkFiles({
      sink: config.name,
      names: kind.files(config as never, pathOf),
      connection,
      connections,
      intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
      log,
    });
    const { timeout, maxPerMinute } = config.kind === 'log' ? {} : config;
    const timeoutMs = (timeout && tryParseDuration(timeout)) || settings.ALERT_TIMEOUT_MS;
    const sink = kind.open(config as never, {
      timeoutMs,
      responseLimitBytes: settings.ALERT_RESPONSE_LIMIT_BYTES,
      // One more for parked deliveries.
      connections: settings.ALERT_CONCURRENCY + 1,
      files,
      pathOf,
      consoleUrl,
    });
    return new ConfiguredSink(sink, { files, timeoutMs, maxPerMinute, log });
  }
}

/** The addresses of the operator's configuration, as targets of `OutgoingConnections`. */
export function sinkTargets({ alerts }: Pick<OperatorConfig, 'alerts'>): WebhookTarget[] {
  return alerts.sinks.flatMap((sink) => {
    if (sink.kind === 'log' || sink.kind === 'email') return [];
    const { name, url } = sink;
    if (url === undefined) return [];
    const oauth = sink.kind === 'webhook' ? sink.oauth : undefined;
    const token = oauth && { name: `sink ${name} (oauth.tokenUrl)`, url: oauth.tokenUrl };
    return [{ name: `sink ${name}`, url }, ...(token === undefined ? [] : [token])];
  });
}
