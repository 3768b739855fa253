import { WEBHOOK_SECRET, WEBHOOK_SECRET_FORM } from '@ssb/net';
import { z } from 'zod';
import { certificateShape, refineCertificate } from '../access-schema.js';
import { isUnknown } from '../placeholders.js';
import { strict, text } from '../schema-values.js';
import { alertmanager, email, pagerduty, slack, teams } from './people-sink-schema.js';
import { refineHeaders } from './sink-headers.js';
import { address, hasCredentials, line, path, receiverShape, sinkName } from './sink-shapes.js';

/** Old and new, and one more pair for a receiver that is late. */
const MAX_SECRETS = 4;

/** A token by the client-credentials grant (RFC 6749, section 4.4). */
const oauth = strict({
  tokenUrl: address(false),
  clientId: line,
  clientSecretFile: path,
  scope: line.optional(),
  audience: line.optional(),
});

const webhook = strict({
  ...receiverShape,
  kind: z.literal('webhook'),
  url: address(true),
  /** The secret of Standard Webhooks, or a file with it. */
  secret: text({ form: WEBHOOK_SECRET, must: `must be ${WEBHOOK_SECRET_FORM}` }).optional(),
  secretFile: path.optional(),
  /** Each delivery has a signature with each of them, so that the receiver can replace its secret at any time. */
  secretFiles: z.array(path).min(1).max(MAX_SECRETS).optional(),
  /** Further request headers; `headerFiles` has their values in files. */
  headers: z.record(z.string(), z.string()).optional(),
  headerFiles: z.record(z.string(), path).optional(),
  bearerTokenFile: path.optional(),
  oauth: oauth.optional(),
  /** Client certificate, and the authorities that replace those of WEBHOOK_CA_FILE. */
  ...certificateShape,
  caFile: path.optional(),
}).superRefine((sink, context) => {
  const fail = (message: string): void => context.addIssue({ code: 'custom', message });
  const { secret, secretFile, secretFiles, bearerTokenFile, oauth: grant } = sink;
  if ([secret, secretFile, secretFiles].filter((each) => each !== undefined).length !== 1)
    fail('must have exactly one of secretFile, secretFiles and secret');
  refineCertificate(sink, context);
  const authorizations = [
    ...(hasCredentials(sink.url) ? ['a user in url'] : []),
    ...(bearerTokenFile === undefined ? [] : ['bearerTokenFile']),
    ...(grant === undefined ? [] : ['oauth']),
    ...refineHeaders(sink, context),
  ];
  if (authorizations.length > 1)
    fail(`has ${authorizations.join(' and ')}, but one way of authorization is allowed`);
});

/** `console` is the former name, for one release. */
const logKind = z.enum(['log', 'console']).transform(() => 'log' as const);

export const sinkSchema = z.discriminatedUnion('kind', [
  strict({ name: sinkName, kind: logKind }),
  webhook,
  email,
  slack,
  teams,
  pagerduty,
  alertmanager,
]);

export type SinkConfig = z.output<typeof sinkSchema>;
export type WebhookSinkConfig = z.output<typeof webhook>;

/** Paths of the files that the subscriber reads for a sink. A relative path starts at the folder of CONFIG_FILE. */
export function listSinkFiles(sink: SinkConfig): string[] {
  if (sink.kind === 'log') return [];
  if (sink.kind !== 'webhook') return listFiles(sink);
  const { secretFile, secretFiles = [], headerFiles = {}, bearerTokenFile, oauth: grant } = sink;
  const { certFile, keyFile, pfxFile, pfxPasswordFile, caFile } = sink;
  return [
    secretFile,
    ...secretFiles,
    ...Object.values(headerFiles),
    bearerTokenFile,
    grant?.clientSecretFile,
    ...[certFile, keyFile, pfxFile, pfxPasswordFile, caFile],
  ].filter((file): file is string => file !== undefined && !isUnknown(file));
}

/** The values of the keys that name a file. */
function listFiles(sink: object): string[] {
  return Object.entries(sink).flatMap(([key, value]) =>
    key.endsWith('File') && typeof value === 'string' && !isUnknown(value) ? [value] : [],
  );
}
