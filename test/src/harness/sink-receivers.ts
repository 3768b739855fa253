import {
  type HttpSink,
  readAlerts,
  readCard,
  readHeaders,
  readIncident,
  readParts,
  readSlackMessage,
  readWebhook,
  type Received,
  type SmtpReceiver,
  startHttpSink,
  startSmtpReceiver,
} from '@ssb/testing/sinks';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from '@ssb/tools';

export const SINK_KINDS = ['webhook', 'email', 'slack', 'teams', 'pagerduty', 'alertmanager', 'log'] as const;
export type SinkKind = (typeof SINK_KINDS)[number];

const SECRETS = {
  webhook: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  email: 'password-of-the-mail-server',
  pagerduty: '0123456789abcdef0123456789abcdef',
  alertmanager: 'token-of-alertmanager',
} as const;
/** Beside CONFIG_FILE. */
const SECRETS_FOLDER = 'sinks';

/** Where each kind posts to. */
const PATHS = {
  webhook: '/hooks/bridge',
  slack: '/services/T0/B0/secret',
  teams: '/workflows/1/invoke?sig=secret',
  pagerduty: '/v2/enqueue',
  alertmanager: '/api/v2/alerts',
} as const;
type HttpKind = keyof typeof PATHS;

/** An alert that Alertmanager has, or whose end it learned. */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** What a mail program shows. */
export interface ShownMail {
  readonly subject: string;
  readonly thread: string | undefined;
}

export interface Incident {
  readonly event_action: string;
  readonly dedup_key: string;
  readonly payload: { readonly summary: string };
}

/** A receiver of each kind of sink on loopback. It reads each message with the rules of its vendor. The log of the subscriber is its own receiver. */
export class SinkReceivers {
  private constructor(
    private readonly http: HttpSink,
    private readonly smtp: SmtpReceiver,
    private readonly subscriberLines: () => readonly LogLine[],
  ) {}

  /** @param folder that of CONFIG_FILE, in which the secrets are written */
  static async start(folder: string, subscriberLines: () => readonly LogLine[]): Promise<SinkReceivers> {
    mkdirSync(join(folder, SECRETS_FOLDER));
    for (const [name, secret] of Object.entries(SECRETS))
      writeFileSync(join(folder, SECRETS_FOLDER, name), secret, { mode: 0o600 });
    const http = await startHttpSink((_, response) => response.writeHead(202).end());
    const smtp = await startSmtpReceiver({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        done(password === SECRETS.email ? null : new Error('wrong password'), { user: username }),
    });
    return new SinkReceivers(http, smtp, subscriberLines);
  }

  async stop(): Promise<void> {
    await Promise.all([this.http.stop(), this.smtp.close()]);
  }

  /** Sinks of CONFIG_FILE, each with the name of its kind. */
  get sinks(): readonly Readonly<Record<string, unknown>>[] {
    const url = (kind: HttpKind): string => new URL(PATHS[kind], this.http.url).href;
    const secret = (kind: keyof typeof SECRETS): string => join(SECRETS_FOLDER, kind);
    const mail = { host: '127.0.0.1', port: this.smtp.port, tls: 'none', username: 'bridge' };
    const addresses = { from: 'bridge@example.org', to: ['treasury@example.org'] };
    return [
      { kind: 'webhook', url: url('webhook'), secretFile: secret('webhook') },
      { kind: 'email', ...mail, passwordFile: secret('email'), ...addresses },
      { kind: 'slack', url: url('slack') },
      { kind: 'teams', url: url('teams') },
      { kind: 'pagerduty', url: url('pagerduty'), routingKeyFile: secret('pagerduty') },
      {
        kind: 'alertmanager',
        url: new URL('/', this.http.url).href,
        bearerTokenFile: secret('alertmanager'),
      },
      { kind: 'log' },
    ].map((sink) => ({ name: sink.kind, ...sink }));
  }

  /** Kind, state and problem of each delivery. */
  webhooks(): { readonly kind: string; readonly problem: string }[] {
    return this.posted('webhook').map(({ headers, body }) => {
      readWebhook(headers, body, SECRETS.webhook);
      return {
        kind: `${String(headers['bridge-kind'])} ${String(headers['bridge-state'])}`,
        problem: String(headers['bridge-problem']),
      };
    });
  }

  mails(): ShownMail[] {
    return this.smtp.mails.map(({ source }) => {
      const headers = readHeaders(source);
      return { subject: headers.get('subject') ?? '', thread: headers.get('in-reply-to') };
    });
  }

  /** The texts of the notifications. */
  slackTexts(): string[] {
    return this.posted('slack').map(({ body }) => {
      readSlackMessage(body);
      return (JSON.parse(body) as { text: string }).text;
    });
  }

  /** The first lines of the cards. */
  teamsTitles(): string[] {
    return this.posted('teams').map(({ body }) => {
      readCard(body);
      return /"type":"TextRun","text":"([^"]*)"/.exec(body)?.[1] ?? '';
    });
  }

  incidents(): Incident[] {
    return this.posted('pagerduty').map(({ body }) => {
      readIncident(body, SECRETS.pagerduty);
      return JSON.parse(body) as Incident;
    });
  }

  /** The first post of each state of a problem with this severity. An open problem is posted again and again. */
  alerts(severity: string): PostedAlert[] {
    const posted = this.posted('alertmanager').flatMap(({ headers, body }) => {
      expect(headers.authorization).toBe(`Bearer ${SECRETS.alertmanager}`);
      readAlerts(body);
      return JSON.parse(body) as PostedAlert[];
    });
    const alerts = posted.filter(({ labels }) => labels['severity'] === severity);
    return [
      ...new Map(alerts.toReversed().map((alert) => [JSON.stringify(alert.annotations), alert])).values(),
    ].toReversed();
  }

  /** Everything that the messages of a kind for people say. */
  texts(kind: 'email' | Exclude<HttpKind, 'webhook'>): string[] {
    if (kind === 'email') return this.smtp.mails.map(({ source }) => readParts(source)[0] ?? '');
    return this.posted(kind).map(({ body }) => body);
  }

  /** The lines of the log about a problem. */
  logLines(problemId: string): LogLine[] {
    return this.subscriberLines().filter(
      (line) =>
        line.msg === 'delivery succeeded' && line['sink'] === 'log' && line['problemId'] === problemId,
    );
  }

  private posted(kind: HttpKind): readonly Received[] {
    return this.http.requests.filter(({ path }) => path === PATHS[kind]);
  }
}
