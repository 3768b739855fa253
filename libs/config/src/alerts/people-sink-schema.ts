import { isLoopback } from '@ssb/net';
import { z } from 'zod';
import { certificateShape, refineCertificate } from '../access-schema.js';
import { isUnknown } from '../placeholders.js';
import { strict, text } from '../schema-values.js';
import { address, hasCredentials, line, path, receiverShape } from './sink-shapes.js';

const MAX_RECIPIENTS = 50;

/** No character that ends an address, a header or a list of addresses. */
const MAIL_ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;
const mailAddress = text({ form: MAIL_ADDRESS, must: 'must be a mail address such as treasury@example.org' });
const host = text({
  form: /^(?:[A-Za-z0-9.-]+|[0-9A-Fa-f:]+)$/,
  must: 'must be the name or address of a host, without a port',
});

/** Certificates of the connection, in place of those of WEBHOOK_CA_FILE and so on. */
const tlsShape = { ...certificateShape, caFile: path.optional() };

export const email = strict({
  ...receiverShape,
  kind: z.literal('email'),
  host,
  /** Default: 587, or 465 with `tls: implicit`. */
  port: z.int().min(1).max(65_535).optional(),
  /** starttls: a server without it is not used. implicit: TLS from the start. none: only for a server on loopback. */
  tls: z.enum(['starttls', 'implicit', 'none']).default('starttls'),
  username: line.optional(),
  passwordFile: path.optional(),
  from: mailAddress,
  to: z.array(mailAddress).min(1).max(MAX_RECIPIENTS),
  ...tlsShape,
}).superRefine((sink, context) => {
  refineCertificate(sink, context);
  const { tls, host: server, username, passwordFile } = sink;
  const fail = (message: string): void => context.addIssue({ code: 'custom', message });
  if (tls === 'none' && !isUnknown(server) && !isLoopback(server))
    fail('has tls: none, which only a server on loopback may have; use starttls or implicit');
  if ((username === undefined) !== (passwordFile === undefined))
    fail('must have both username and passwordFile, or neither');
});

/** The address of a chat is its secret, so a file can hold it. */
const chatShape = { ...receiverShape, url: address(false).optional(), urlFile: path.optional(), ...tlsShape };

function refineChat(
  sink: { readonly url?: string | undefined; readonly urlFile?: string | undefined } & Parameters<
    typeof refineCertificate
  >[0],
  context: z.RefinementCtx,
): void {
  refineCertificate(sink, context);
  if ((sink.url === undefined) === (sink.urlFile === undefined))
    context.addIssue({ code: 'custom', message: 'must have either urlFile or url' });
}

/** An incoming webhook of Slack. */
export const slack = strict({ ...chatShape, kind: z.literal('slack') }).superRefine(refineChat);

/** A workflow of Microsoft Teams that a webhook request starts. */
export const teams = strict({ ...chatShape, kind: z.literal('teams') }).superRefine(refineChat);

/** An integration of PagerDuty with the Events API v2. */
export const pagerduty = strict({
  ...receiverShape,
  kind: z.literal('pagerduty'),
  /** Another region has another address. */
  url: address(false).default('https://events.pagerduty.com/v2/enqueue'),
  routingKeyFile: path,
  ...tlsShape,
}).superRefine(refineCertificate);

/** The bridge sets these. */
const RESERVED_LABELS = ['alertname', 'problem', 'kind', 'participant', 'subject', 'severity'];
const MAX_LABELS = 20;

/** Further labels of each alert, such as those that Prometheus adds to its own. */
const labels = z.record(z.string(), line).superRefine((value, context) => {
  const names = Object.keys(value);
  const fail = (name: string[], message: string): void =>
    context.addIssue({ code: 'custom', path: name, message });
  if (names.length > MAX_LABELS) fail([], `has ${names.length} labels; at most ${MAX_LABELS} are allowed`);
  for (const name of names) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
      fail([name], 'is not the name of a label; it takes letters, digits and _');
    else if (RESERVED_LABELS.includes(name)) fail([name], 'is set by the bridge; choose another name');
  }
});

/** API v2 of Alertmanager. */
export const alertmanager = strict({
  ...receiverShape,
  kind: z.literal('alertmanager'),
  /** Without the path of the API. */
  url: address(true, false),
  bearerTokenFile: path.optional(),
  labels: labels.optional(),
  ...tlsShape,
}).superRefine((sink, context) => {
  refineCertificate(sink, context);
  if (/\/api\/v2(\/alerts)?\/?$/.test(sink.url)) {
    const message = 'must end before /api/v2, which the bridge adds; remove /api/v2 and what follows';
    context.addIssue({ code: 'custom', path: ['url'], message });
  }
  if (sink.bearerTokenFile === undefined || !hasCredentials(sink.url)) return;
  const message = 'has a user in url and bearerTokenFile, but one way of authorization is allowed';
  context.addIssue({ code: 'custom', message });
});

export type EmailSinkConfig = z.output<typeof email>;
export type ChatSinkConfig = z.output<typeof slack> | z.output<typeof teams>;
export type PagerDutySinkConfig = z.output<typeof pagerduty>;
export type AlertmanagerSinkConfig = z.output<typeof alertmanager>;
